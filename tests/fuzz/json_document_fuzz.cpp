// The input is a config.json. What parse() accepts must come out unchanged,
// and after an edit must still parse, with the edit in it.
#include <cstdint>
#include <cstdlib>

#include "oci-spec/json_document.hpp"
#include "oci-spec/spec_view.hpp"

using namespace gantry::oci;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void visit(const JsonDocument& document, JsonDocument::Node node) {
    static_cast<void>(document.key(node));
    static_cast<void>(document.string(node));
    static_cast<void>(document.integer(node));
    static_cast<void>(document.unsigned_integer(node));
    for (auto child = document.first_child(node); child != JsonDocument::kNone;
         child = document.next_sibling(child))
        visit(document, child);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    auto document = JsonDocument::parse(text);
    if (!document) return 0;
    require(document->render() == text);
    visit(*document, document->root());
    const std::size_t entries = extract_spec_view(*document).env.size();

    const auto process = document->ensure(document->root(), "process", JsonKind::Object);
    const auto env = document->ensure(process, "env", JsonKind::Array);
    if (env == JsonDocument::kNone) return 0;
    if (const auto first = document->first_child(env); first != JsonDocument::kNone)
        document->replace(first, json_quote(text.substr(0, 100)));
    document->append(env, "\"GANTRY=1\"");
    auto edited = JsonDocument::parse(document->render());
    require(edited.has_value());
    const SpecView view = extract_spec_view(*edited);
    require(view.env.size() >= 1 && view.env.back() == "GANTRY=1");
    require(view.env.size() >= entries);

    document->remove(process);
    edited = JsonDocument::parse(document->render());
    require(edited.has_value() && edited->find({"process"}) == JsonDocument::kNone);
    return 0;
}
