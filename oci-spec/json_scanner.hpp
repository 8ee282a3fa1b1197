// From text to nodes, in one pass and without recursion.
#pragma once

#include "oci-spec/json_document.hpp"

namespace gantry::oci {

class JsonDocument::Scanner {
public:
    Scanner(JsonDocument& document, std::string_view text, std::size_t depth)
        : document_(document), text_(text), at_(text.data()), end_(at_ + text.size()),
          depth_limit_(depth) {}

    // Links the first value of the text below `parent` and everything in it.
    Status scan(Node parent, std::string_view key);
    [[nodiscard]] std::string_view rest() const { return {at_, end_}; }
    void skip_blank();

private:
    Result<bool> scan_value();  // true: a container with members has begun
    Status scan_to_next_value();
    Result<bool> open_container(JsonKind kind);
    void close_container();
    Status scan_key();
    Status scan_string();
    Status scan_escape();
    Status scan_number();
    Status scan_word(std::string_view word);
    bool skip_digits();
    void add(JsonKind kind, const char* begin);
    [[nodiscard]] bool is_at(char c) const { return at_ != end_ && *at_ == c; }
    [[nodiscard]] std::unexpected<Error> broken(std::string_view what) const;

    JsonDocument& document_;
    std::string_view text_;
    const char* at_;
    const char* end_;
    std::size_t depth_limit_;
    std::size_t depth_ = 0;
    Node open_ = kNone;     // innermost container that is not closed yet
    std::string_view key_;  // of the value that comes next
};

}  // namespace gantry::oci
