#include "catch.hpp"
#include "oci-spec/json_document.hpp"
#include "spec_fixture.hpp"

using namespace gantry::oci;

namespace {

constexpr auto kNone = JsonDocument::kNone;

JsonDocument parsed(std::string text) {
    auto document = JsonDocument::parse(std::move(text));
    REQUIRE(document.has_value());
    return std::move(*document);
}

}  // namespace

TEST_CASE("an edit leaves everything beside it as it was written") {
    JsonDocument document = parsed(
        "{ \"x\" : [1.10 ,-0,\t1e400, 123456789012345678901234567890],\n"
        "  \"linux\" : {\"devices\":[ {\"path\" : \"/dev/a\"} ]},\n"
        "  \"\\u0061\" : \"\\u0062\" } \n");
    document.append(document.find({"linux", "devices"}), R"({"path":"/dev/b"})");
    CHECK(document.render() ==
          "{ \"x\" : [1.10 ,-0,\t1e400, 123456789012345678901234567890],\n"
          "  \"linux\" : {\"devices\":[ {\"path\" : \"/dev/a\"}, {\"path\":\"/dev/b\"} ]},\n"
          "  \"\\u0061\" : \"\\u0062\" } \n");
}

TEST_CASE("a borrowed text is read in place, and stays as it was") {
    const std::string text = R"( {"a":[1, 2],"b":"kept"} )";
    auto document = JsonDocument::parse_borrowed(text);
    REQUIRE(document.has_value());
    CHECK(document->raw(document->root()).data() == text.data() + 1);
    document->append(document->find({"a"}), "3");
    CHECK(document->render() == R"( {"a":[1, 2, 3],"b":"kept"} )");
    CHECK(text == R"( {"a":[1, 2],"b":"kept"} )");
}

TEST_CASE("new members take the spacing of the old ones") {
    struct Row {
        const char* before;
        const char* after;
    };
    const Row rows[] = {
        {R"({})", R"({"k":[7]})"},
        {R"({ })", R"({"k":[7]})"},
        {R"({"a":1})", R"({"a":1,"k":[7]})"},
        {R"({"a": 1, "b": 2})", R"({"a": 1, "b": 2, "k": [7]})"},
        {"{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"k\": [7]\n}"},
        {"{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n",
         "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"k\": [7]\n}\n"},
        {"{\r\n\"a\" : 1\r\n, \"b\" : 2}", "{\r\n\"a\" : 1\r\n, \"b\" : 2\r\n, \"k\" : [7]}"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.before);
        JsonDocument document = parsed(row.before);
        document.append(document.ensure(document.root(), "k", JsonKind::Array), "7");
        CHECK(document.render() == row.after);
    }
}

TEST_CASE("set replaces a member in its place or adds it at the end") {
    JsonDocument document = parsed(R"({"b": 1, "a": {"x": 2}})");
    const auto b = document.find({"b"});
    CHECK(document.set(document.root(), "b", " [ 3 ] ") == b);
    document.set(document.root(), "q\"\n", "\"\\u00e9\"");
    CHECK(document.render() == "{\"b\": [ 3 ], \"a\": {\"x\": 2}, \"q\\\"\\n\": \"\\u00e9\"}");
    CHECK(document.kind(b) == JsonKind::Array);
    CHECK(document.integer(document.first_child(b)) == 3);
    CHECK(document.string(document.find({"q\"\n"})) == "\u00e9");
}

TEST_CASE("what was added or replaced can be edited again") {
    JsonDocument document = parsed(R"({"a":1})");
    const auto list = document.set(document.root(), "a", R"([{"k":1}, 2])");
    const auto first = document.first_child(list);
    document.set(first, "k", "5");
    document.append(list, "3");
    CHECK(document.render() == R"({"a":[{"k":5}, 2, 3]})");
    document.replace(list, R"({"z":0})");
    CHECK(document.render() == R"({"a":{"z":0}})");
    document.set(list, "z", "1");
    CHECK(document.render() == R"({"a":{"z":1}})");
    document.replace(document.root(), "null");
    CHECK(document.render() == "null");
}

TEST_CASE("editing below a node that was replaced changes nothing") {
    JsonDocument document = parsed(R"({"a":{"old":[1]}})");
    const auto old = document.find({"a", "old"});
    document.set(document.root(), "a", R"({"new": 2})");
    document.append(old, "3");
    CHECK(document.render() == R"({"a":{"new": 2}})");
}

TEST_CASE("removing keeps the others, also while walking") {
    JsonDocument document = parsed(R"(["A=1", "B=2", "A=3", "C=4"])");
    for (auto node = document.first_child(document.root()); node != kNone;
         node = document.next_sibling(node))
        if (document.string(node)->starts_with("A=")) document.remove(node);
    CHECK(document.render() == R"(["B=2", "C=4"])");
    document.remove(document.first_child(document.root()));
    document.append(document.root(), "5");
    CHECK(document.render() == R"(["C=4", 5])");
    document.remove(document.first_child(document.root()));
    document.remove(document.first_child(document.root()));
    CHECK(document.render() == "[]");

    JsonDocument indented = parsed("{\n  \"a\": 1\n}");
    indented.remove(indented.find({"a"}));
    CHECK(indented.render() == "{}");
}

TEST_CASE("of a doubled key the one that counts is edited, and all go") {
    constexpr auto kText = R"({"a":1,"b":{},"\u0061":{"x":2},"c":3})";
    JsonDocument set = parsed(kText);
    set.set(set.root(), "a", "9");
    CHECK(set.render() == R"({"a":1,"b":{},"\u0061":9,"c":3})");

    JsonDocument ensured = parsed(kText);
    ensured.set(ensured.ensure(ensured.root(), "a", JsonKind::Object), "y", "4");
    CHECK(ensured.render() == R"({"a":1,"b":{},"\u0061":{"x":2,"y":4},"c":3})");

    // Without the last, the first would count again.
    JsonDocument removed = parsed(kText);
    removed.remove(removed.find({"a"}));
    CHECK(removed.render() == R"({"b":{},"c":3})");
    CHECK(removed.find({"a"}) == kNone);
}

TEST_CASE("ensure makes what is absent or null and respects what is there") {
    JsonDocument document = parsed(R"({"null":null,"list":[1],"map":{"a":1},"text":"x"})");
    const auto root = document.root();
    CHECK(document.ensure(root, "list", JsonKind::Array) == document.find({"list"}));
    CHECK(document.ensure(root, "map", JsonKind::Object) == document.find({"map"}));
    CHECK(document.ensure(root, "list", JsonKind::Object) == kNone);
    CHECK(document.ensure(root, "text", JsonKind::Array) == kNone);
    CHECK(document.ensure(kNone, "x", JsonKind::Array) == kNone);
    CHECK(document.ensure(document.find({"list"}), "x", JsonKind::Array) == kNone);
    CHECK(document.render() == R"({"null":null,"list":[1],"map":{"a":1},"text":"x"})");

    const auto made = document.ensure(root, "null", JsonKind::Object);
    CHECK(document.kind(made) == JsonKind::Object);
    document.append(document.ensure(made, "deep", JsonKind::Array), "1");
    CHECK(document.render() ==
          R"({"null":{"deep":[1]},"list":[1],"map":{"a":1},"text":"x"})");
}

TEST_CASE("every digit survives an edit of the spec around it") {
    const std::string text = spec_fixture("odd-numbers.json");
    JsonDocument document = parsed(text);
    document.append(document.find({"process", "env"}), "\"B=2\"");
    document.append(document.find({"linux", "resources", "devices"}), R"({"allow":true})");
    std::string expected = text;
    for (const auto& [after, added] : {std::pair(R"("AMD_VISIBLE_DEVICES=all")", R"(, "B=2")"),
                                       std::pair(R"("access": "rwm"})", R"(,{"allow":true})")})
        expected.insert(expected.find(after) + std::string(after).size(), added);
    CHECK(document.render() == expected);
}

TEST_CASE("a spec that is not edited keeps every byte") {
    for (const char* name :
         {"odd-numbers.json", "legacy-capabilities.json", "runc-spec.json", "podman.json"}) {
        CAPTURE(name);
        const std::string text = spec_fixture(name);
        CHECK(parsed(text).render() == text);
    }
}

TEST_CASE("a section made for one edit does not touch what is unknown") {
    JsonDocument document = parsed(spec_fixture("legacy-capabilities.json"));
    const auto linux_section = document.ensure(document.root(), "linux", JsonKind::Object);
    document.append(document.ensure(linux_section, "devices", JsonKind::Array), "7");
    const std::string edited = document.render();
    CHECK(edited.find(R"("capabilities": ["CAP_CHOWN", "CAP_KILL", "CAP_NET_BIND_SERVICE"])") !=
          std::string::npos);
    CHECK(edited.find(R"("platform": { "os": "linux", "arch": "amd64" })") != std::string::npos);
    CHECK(edited.find(R"("devices": [7] })") != std::string::npos);
}
