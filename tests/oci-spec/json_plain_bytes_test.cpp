// Strings are scanned eight bytes at a time: every byte at every place.
#include "catch.hpp"
#include "oci-spec/json_document.hpp"

using gantry::oci::JsonDocument;

TEST_CASE("A string takes exactly the bytes that JSON allows unescaped, wherever they stand") {
    for (int byte = 0; byte < 256; ++byte)
        for (std::size_t place = 0; place < 17; ++place) {
            std::string content(17, 'a');
            content[place] = static_cast<char>(byte);
            const auto document = JsonDocument::parse("[\"" + content + "\"]");
            const bool allowed = byte >= 0x20 && byte != '"' && byte != '\\';
            INFO("byte " << byte << " at " << place);
            REQUIRE(document.has_value() == allowed);
            if (allowed)
                REQUIRE(document->string(document->first_child(document->root())) == content);
        }
}
