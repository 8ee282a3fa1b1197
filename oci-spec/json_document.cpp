#include "oci-spec/json_document.hpp"

#include <charconv>

#include "base/text.hpp"
#include "oci-spec/json_scanner.hpp"
#include "oci-spec/json_text.hpp"

namespace gantry::oci {

Result<JsonDocument> JsonDocument::parse(std::string text, JsonLimits limits) {
    JsonDocument document;
    document.texts_.push_back(std::move(text));
    GANTRY_CHECK(document.read(document.texts_.back(), limits));
    return document;
}

Result<JsonDocument> JsonDocument::parse_borrowed(std::string_view text, JsonLimits limits) {
    JsonDocument document;
    GANTRY_CHECK(document.read(text, limits));
    return document;
}

Status JsonDocument::read(std::string_view source, JsonLimits limits) {
    // A node takes at least two bytes of text, so this keeps Node in range too.
    if (source.size() > limits.bytes || source.size() >= kNone)
        return fail(Code::SpecTooLarge,
                    "the JSON text has " + std::to_string(source.size()) + " bytes; at most " +
                        std::to_string(limits.bytes) + " are read",
                    "A runtime spec has some 100 KiB: find out who wrote this one");
    entries_.reserve(source.size() / 16 + 1);  // about what engines write
    Scanner scanner(*this, source, limits.depth);
    GANTRY_CHECK(scanner.scan(kNone, {}));
    const std::string_view value = entries_[0].text;
    head_ = {source.data(), value.data()};
    tail_ = scanner.rest();
    return {};
}

JsonDocument::Node JsonDocument::link(const Entry& entry) {
    const Node node = static_cast<Node>(entries_.size());
    entries_.push_back(entry);
    if (entry.parent == kNone) return node;
    Entry& parent = entries_[entry.parent];
    (parent.last == kNone ? parent.first : entries_[parent.last].next) = node;
    parent.last = node;
    return node;
}

JsonKind JsonDocument::kind(Node node) const {
    return node == kNone ? JsonKind::Null : entries_[node].kind;
}

std::string_view JsonDocument::raw(Node node) const {
    return node == kNone ? std::string_view() : entries_[node].text;
}

JsonDocument::Node JsonDocument::skip_removed(Node node) const {
    while (node != kNone && entries_[node].removed) node = entries_[node].next;
    return node;
}

JsonDocument::Node JsonDocument::first_child(Node container) const {
    return container == kNone ? kNone : skip_removed(entries_[container].first);
}

JsonDocument::Node JsonDocument::next_sibling(Node node) const {
    return node == kNone ? kNone : skip_removed(entries_[node].next);
}

std::string JsonDocument::key(Node member) const {
    if (member == kNone || entries_[member].key.empty()) return {};
    return json_unquote(entries_[member].key);
}

bool JsonDocument::key_is(Node member, std::string_view key) const {
    const std::string_view quoted = entries_[member].key;
    if (quoted.find('\\') != std::string_view::npos) return json_unquote(quoted) == key;
    return quoted.substr(1, quoted.size() - 2) == key;
}

JsonDocument::Node JsonDocument::member(Node object, std::string_view key) const {
    Node found = kNone;
    if (object == kNone || kind(object) != JsonKind::Object) return found;
    for (Node node = first_child(object); node != kNone; node = next_sibling(node))
        if (key_is(node, key)) found = node;
    return found;
}

JsonDocument::Node JsonDocument::find(std::initializer_list<std::string_view> path) const {
    Node node = root();
    for (const std::string_view key : path) node = member(node, key);
    return node;
}

std::optional<std::string> JsonDocument::string(Node node) const {
    if (node == kNone || kind(node) != JsonKind::String) return std::nullopt;
    return json_unquote(raw(node));
}

std::optional<std::uint64_t> JsonDocument::unsigned_integer(Node node) const {
    if (node == kNone || kind(node) != JsonKind::Number) return std::nullopt;
    return parse_decimal(raw(node));
}

std::optional<std::int64_t> JsonDocument::integer(Node node) const {
    if (node == kNone || kind(node) != JsonKind::Number) return std::nullopt;
    const std::string_view digits = raw(node);
    const char* end = digits.data() + digits.size();
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return value;
}

std::optional<bool> JsonDocument::boolean(Node node) const {
    if (node == kNone) return std::nullopt;
    if (kind(node) == JsonKind::True) return true;
    if (kind(node) == JsonKind::False) return false;
    return std::nullopt;
}

bool JsonDocument::is_null(Node node) const {
    return node != kNone && kind(node) == JsonKind::Null;
}

}  // namespace gantry::oci
