#include <functional>

#include "oci-spec/json_document.hpp"

namespace gantry::oci {
namespace {

constexpr std::string_view kBlanks = " \n\r\t";

bool lies_in(std::string_view part, std::string_view whole) {
    // std::less orders pointers into different texts too.
    const std::less<const char*> before;
    return !part.empty() && !before(part.data(), whole.data()) &&
           before(part.data(), whole.data() + whole.size());
}

}  // namespace

// What stands between the parts of a container, taken from its own text, so
// that all members, new ones too, look like the first ones did.
struct JsonDocument::Spacing {
    std::string_view open;   // after the bracket
    std::string comma;       // from one member to the next
    std::string_view colon;
    std::string_view close;  // before the bracket
};

JsonDocument::Spacing JsonDocument::spacing(Node container) const {
    const Entry& parent = entries_[container];
    const std::string_view inner = parent.text.substr(1, parent.text.size() - 2);
    const std::size_t begin = inner.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
        return {.open = {}, .comma = ",", .colon = ":", .close = {}};
    Spacing found{.open = inner.substr(0, begin),
                  .comma = "," + std::string(inner.substr(0, begin)),
                  .colon = ":",
                  .close = inner.substr(inner.find_last_not_of(kBlanks) + 1)};

    for (Node node = parent.first; node != kNone; node = entries_[node].next) {
        const Entry& entry = entries_[node];
        // New members and replaced elements stand in another text.
        const std::string_view start = entry.key.empty() ? entry.text : entry.key;
        if (!lies_in(start, inner)) continue;
        const std::size_t offset = static_cast<std::size_t>(start.data() - inner.data());
        if (!entry.key.empty()) {
            const std::string_view after = inner.substr(offset + start.size());
            found.colon = after.substr(0, after.find_first_not_of(" \n\r\t:"));
        }
        if (node == parent.first) continue;
        const std::string_view before = inner.substr(0, offset);
        found.comma = before.substr(before.find_last_not_of(" \n\r\t,") + 1);
        break;
    }
    return found;
}

void JsonDocument::render_node(Node node, std::string& out) const {
    const Entry& container = entries_[node];
    if (!container.dirty) {
        out += container.text;
        return;
    }
    const Spacing space = spacing(node);
    const bool object = container.kind == JsonKind::Object;
    out += object ? '{' : '[';
    const Node first = first_child(node);
    for (Node child = first; child != kNone; child = next_sibling(child)) {
        out += child == first ? space.open : std::string_view(space.comma);
        if (object) {
            out += entries_[child].key;
            out += space.colon;
        }
        // As deep as the document, which parse() limits.
        render_node(child, out);
    }
    if (first != kNone) out += space.close;
    out += object ? '}' : ']';
}

bool JsonDocument::has_tail() const {
    return tail_.find_first_not_of(" \t\n\r") != std::string_view::npos;
}

std::string JsonDocument::render() const {
    std::string out;
    out.reserve(head_.size() + raw(root()).size() + tail_.size() + 4096);
    out += head_;
    render_node(root(), out);
    out += tail_;
    return out;
}

}  // namespace gantry::oci
