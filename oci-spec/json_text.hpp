// JSON string literals to bytes; the way back, json_quote, is in
// json_document.hpp.
#pragma once

#include <string>
#include <string_view>

namespace gantry::oci {

// `literal` has its quotes and is correct JSON, as the scanner left it.
[[nodiscard]] std::string json_unquote(std::string_view literal);

}  // namespace gantry::oci
