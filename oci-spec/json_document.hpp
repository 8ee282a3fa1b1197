// config.json as a document, not as a struct: members that nobody here knows,
// the order of members and every digit of every number survive an edit.
// Own code because no JSON library at hand keeps number tokens as written:
// 1.10, a 30-digit integer, -0 and 1e400 all must come out as they went in.
//
// parse() makes a flat table of nodes that point into the source text; edits
// replace or add nodes; render() copies untouched parts byte for byte and
// writes anew only the containers on the path to an edit, in the spacing of
// their first members.
//
// Keys match exactly. Go, and so runc, folds their case and merges doubled
// objects member by member; engines never write such specs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gantry::oci {

struct JsonLimits {
    std::size_t bytes = std::size_t{16} << 20;
    std::size_t depth = 256;  // containers inside each other
};

enum class JsonKind : std::uint8_t { Object, Array, String, Number, True, False, Null };

class JsonDocument {
public:
    using Node = std::uint32_t;
    static constexpr Node kNone = UINT32_MAX;

    // Nodes point into texts that the document owns, so it moves but does not
    // copy: parse(render()) makes an independent one.
    JsonDocument(JsonDocument&&) = default;
    JsonDocument& operator=(JsonDocument&&) = default;
    JsonDocument(const JsonDocument&) = delete;
    JsonDocument& operator=(const JsonDocument&) = delete;
    ~JsonDocument() = default;

    // Errors: SpecTooLarge, SpecTooDeep, SpecMalformed (with the byte offset).
    // Bytes after the top-level value are kept and written back: runc reads
    // only the first value of a file. A byte order mark is malformed, as it is
    // to runc and crun.
    [[nodiscard]] static Result<JsonDocument> parse(std::string text, JsonLimits limits = {});
    // The same without a copy: `text` must live, unchanged, as long as the document.
    [[nodiscard]] static Result<JsonDocument> parse_borrowed(std::string_view text,
                                                             JsonLimits limits = {});

    // Every reader takes kNone too, as something absent: kind() is then Null.
    [[nodiscard]] Node root() const { return 0; }
    [[nodiscard]] JsonKind kind(Node node) const;
    // The value as it was read or set, e.g. `1.10` or `"a\u0062"`; edits below
    // it do not show here.
    [[nodiscard]] std::string_view raw(Node node) const;

    // Children in order; kNone ends the list.
    [[nodiscard]] Node first_child(Node container) const;
    [[nodiscard]] Node next_sibling(Node node) const;
    // Decoded key of an object's member; empty for array elements.
    [[nodiscard]] std::string key(Node member) const;

    // The member of that exact key, the last one where it is doubled (as Go and
    // yajl read it), kNone where absent or where `object` is kNone or no object.
    [[nodiscard]] Node member(Node object, std::string_view key) const;
    // member() along several keys.
    [[nodiscard]] Node find(std::initializer_list<std::string_view> path) const;

    // Decoded string; nullopt if the node is kNone or no string. Escaped lone
    // surrogates become U+FFFD, as in Go; \u0000 is a NUL byte; bytes that are
    // no UTF-8 stay as they are.
    [[nodiscard]] std::optional<std::string> string(Node node) const;
    // Only what is written as a plain decimal integer in range.
    [[nodiscard]] std::optional<std::uint64_t> unsigned_integer(Node node) const;
    [[nodiscard]] std::optional<std::int64_t> integer(Node node) const;
    [[nodiscard]] std::optional<bool> boolean(Node node) const;
    [[nodiscard]] bool is_null(Node node) const;

    // Edits. `json` is one complete JSON value made by this program; a value
    // that does not parse is a bug and aborts, and so is an edit of a container
    // of the wrong kind. Handles stay valid; those below a replaced or removed
    // node no longer belong to the document. Of a doubled key, set() and
    // ensure() change the one that counts, the last; remove() takes all, since
    // an older one would count again; replace() changes just its node.
    Node set(Node object, std::string_view key, std::string json);
    Node append(Node array, std::string json);
    void replace(Node node, std::string json);
    void remove(Node node);
    // The member if it is there and of that kind (Object or Array); made anew
    // where absent or null; kNone where it is of another kind, or where `object`
    // is kNone or no object.
    [[nodiscard]] Node ensure(Node object, std::string_view key, JsonKind kind);

    [[nodiscard]] std::string render() const;
    // Bytes other than blanks after the top-level value.
    [[nodiscard]] bool has_tail() const;

private:
    class Scanner;
    struct Entry {
        JsonKind kind = JsonKind::Null;
        bool dirty = false;    // changed below; every ancestor is dirty then too
        bool removed = false;
        Node parent = kNone;
        Node first = kNone, last = kNone, next = kNone;
        std::string_view key;   // with its quotes, as in the text; empty in arrays
        std::string_view text;  // the whole value, as in the text
    };
    struct Spacing;

    JsonDocument() = default;
    [[nodiscard]] Status read(std::string_view source, JsonLimits limits);
    Node link(const Entry& entry);
    Node parse_edit(std::string json, Node parent, std::string_view key);
    Node insert(Node container, std::string_view key, std::string json);
    [[nodiscard]] Node skip_removed(Node node) const;
    [[nodiscard]] bool key_is(Node member, std::string_view key) const;
    void mark_dirty(Node node);
    [[nodiscard]] Spacing spacing(Node container) const;
    void render_node(Node node, std::string& out) const;

    std::vector<Entry> entries_;
    // Owners of the text that entries point into; a deque never moves them.
    std::deque<std::string> texts_;
    std::string_view head_, tail_;  // around the top-level value
};

// A JSON string literal for any bytes; invalid UTF-8 goes through unchanged.
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace gantry::oci
