#include "catch.hpp"
#include "oci-spec/json_document.hpp"

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
        "  \"linux\" : {\"devices\":[ {\"path\" : \"/dev/a\"} ]},\n  \"\\u0061\" : \"\\u0062\" } \n");
    document.append(document.find({"linux", "devices"}), R"({"path":"/dev/b"})");
    CHECK(document.render() ==
          "{ \"x\" : [1.10 ,-0,\t1e400, 123456789012345678901234567890],\n"
          "  \"linux\" : {\"devices\":[ {\"path\" : \"/dev/a\"}, {\"path\":\"/dev/b\"} ]},\n"
          "  \"\\u0061\" : \"\\u0062\" } \n");
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
        {"{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}\n", "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"k\": [7]\n}\n"},
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
    // Values that a way through double or int64 would change.
    const char* numbers[] = {"18446744073709551615", "9007199254740993", "-9223372036854775808",
                             "268435456000", "-1", "-0", "1.10", "1e400", "0.1e-7",
                             "123456789012345678901234567890"};
    std::string text = R"({"process":{"rlimits":[)";
    for (const char* number : numbers)
        text += std::string(R"({"type":"RLIMIT_MEMLOCK","hard":)") + number + "},";
    text += R"({}],"env":["A=1"]},"linux":{"resources":{"devices":[{"allow":false,"access":"rwm"}],)"
            R"("memory":{"limit":268435456000,"swap":-1}}}})";
    JsonDocument document = parsed(text);
    document.append(document.find({"process", "env"}), "\"B=2\"");
    document.append(document.find({"linux", "resources", "devices"}), R"({"allow":true})");
    const std::string edited = document.render();
    for (const char* number : numbers) {
        CAPTURE(number);
        CHECK(edited.find(std::string("\"hard\":") + number + "}") != std::string::npos);
    }
    CHECK(edited.find(R"("memory":{"limit":268435456000,"swap":-1})") != std::string::npos);
    CHECK(edited.size() == text.size() + sizeof(R"(,"B=2")") - 1 + sizeof(R"(,{"allow":true})") - 1);
}
