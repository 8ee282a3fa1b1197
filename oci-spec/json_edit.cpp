#include <cstdlib>

#include "oci-spec/json_document.hpp"
#include "oci-spec/json_scanner.hpp"

namespace gantry::oci {
namespace {

// A wrong edit is a fault of this program; going on would hand a damaged spec
// to a privileged runtime.
void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

void JsonDocument::mark_dirty(Node node) {
    for (; node != kNone && !entries_[node].dirty; node = entries_[node].parent)
        entries_[node].dirty = true;
}

JsonDocument::Node JsonDocument::parse_edit(std::string json, Node parent, std::string_view key) {
    texts_.push_back(std::move(json));
    const Node node = static_cast<Node>(entries_.size());
    Scanner scanner(*this, texts_.back(), JsonLimits{}.depth);
    require(scanner.scan(parent, key).has_value());
    scanner.skip_blank();
    require(scanner.rest().empty());
    return node;
}

JsonDocument::Node JsonDocument::insert(Node container, std::string_view key, std::string json) {
    const Node node = parse_edit(std::move(json), container, key);
    mark_dirty(container);
    return node;
}

JsonDocument::Node JsonDocument::set(Node object, std::string_view key, std::string json) {
    require(object != kNone && kind(object) == JsonKind::Object);
    if (const Node old = member(object, key); old != kNone) {
        replace(old, std::move(json));
        return old;
    }
    return insert(object, texts_.emplace_back(json_quote(key)), std::move(json));
}

JsonDocument::Node JsonDocument::append(Node array, std::string json) {
    require(array != kNone && kind(array) == JsonKind::Array);
    return insert(array, {}, std::move(json));
}

void JsonDocument::replace(Node node, std::string json) {
    require(node != kNone);
    const Node fresh = parse_edit(std::move(json), kNone, {});
    const Entry& value = entries_[fresh];
    Entry& entry = entries_[node];
    entry.kind = value.kind;
    entry.first = value.first;
    entry.last = value.last;
    entry.text = value.text;
    entry.dirty = false;  // its text is what is to be written
    for (Node child = entry.first; child != kNone; child = entries_[child].next)
        entries_[child].parent = node;
    mark_dirty(entry.parent);
}

void JsonDocument::remove(Node node) {
    require(node != kNone && entries_[node].parent != kNone);
    const Node parent = entries_[node].parent;
    if (kind(parent) == JsonKind::Array) {
        entries_[node].removed = true;
    } else {
        const std::string name = key(node);
        for (Node twin = first_child(parent); twin != kNone; twin = next_sibling(twin))
            if (key_is(twin, name)) entries_[twin].removed = true;
    }
    mark_dirty(parent);
}

JsonDocument::Node JsonDocument::ensure(Node object, std::string_view key, JsonKind wanted) {
    require(wanted == JsonKind::Object || wanted == JsonKind::Array);
    if (object == kNone || kind(object) != JsonKind::Object) return kNone;
    const Node found = member(object, key);
    if (found == kNone || is_null(found))
        return set(object, key, wanted == JsonKind::Object ? "{}" : "[]");
    return kind(found) == wanted ? found : kNone;
}

}  // namespace gantry::oci
