#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "plan/planned.hpp"

using namespace gantry;
using nlohmann::json;

namespace {

plan::Plan small_plan() {
    plan::Plan plan;
    inventory::Gpu gpu;
    gpu.name = "RX 6700 XT";
    gpu.gfx = inventory::GfxVersion{10, 3, 1};
    gpu.pci_address = "0000:03:00.0";
    plan.gpus = {gpu};
    plan.edits.devices = {{"/dev/kfd", 'c', 236, 0, 0660, 0, 110, "rw", true, true, "compute"},
                          {"/dev/b", 'b', 8, 1, 0640, 1, 2, "rw", true, false, ""},
                          {"/dev/c", 'c', 226, 128, 0660, 0, 0, "rw", false, true, "there"}};
    plan.edits.additional_gids = {{110, "group of /dev/kfd"}};
    plan.edits.env = {{"SET", "a=b", "why"}, {"GONE", std::nullopt, "empty"}};
    plan.edits.mounts = {{"/host/lib", "/usr/lib/lib", {"bind", "ro"}, "library"}};
    plan.notices = {"said"};
    return plan;
}

}  // namespace

TEST_CASE("a plan as text") {
    CHECK(plan::render_text(small_plan()) ==
          "  grant AMD GPU 0 (RX 6700 XT) at 0000:03:00.0  # gfx1031\n"
          "  node  /dev/kfd c 236:0 mode 0660 gid 110, rule rw  # compute\n"
          "  node  /dev/b b 8:1 mode 0640 gid 2\n"
          "  rule  /dev/c c 226:128 rw  # there\n"
          "  group 110  # group of /dev/kfd\n"
          "  env   SET=a=b  # why\n"
          "  unset GONE  # empty\n"
          "  mount /usr/lib/lib  # library\n"
          "  note  said\n");
    CHECK(plan::render_text({}).empty());
}

TEST_CASE("long texts are broken at words and no line is wider than 80 columns") {
    plan::Plan plan;
    std::string words;
    for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
    plan.notices = {words, std::string(200, 'x'), "a " + std::string(100, 'y') + " " + words};
    plan.edits.env = {{"NAME", std::string(90, 'v'), words}};
    plan.edits.additional_gids = {{1, std::string(65, 'r')}, {2, std::string(66, 'r')},
                                  {3, std::string(67, 'r')}, {4, std::string(68, 'r')}};
    const std::string text = plan::render_text(plan);
    std::string all;
    for (const std::string_view line : split(text, '\n')) {
        CAPTURE(line);
        const bool one_word = trim(line).find(' ') == std::string_view::npos;
        CHECK((line.size() <= 80 || one_word));
        all += std::string(trim(line)) + " ";
    }
    // No word is lost.
    CHECK(all.find("word0 word1") != std::string::npos);
    CHECK(all.find("word59") != std::string::npos);
    CHECK(all.find(std::string(200, 'x')) != std::string::npos);
}

TEST_CASE("a plan as CDI-shaped JSON") {
    const json document = json::parse(plan::render_json(small_plan()));
    CHECK(document["cdiVersion"] == "0.7.0");  // the first with additionalGids
    const json& edits = document["containerEdits"];
    CHECK(edits["env"] == json::array({"SET=a=b"}));
    REQUIRE(edits["deviceNodes"].size() == 2);
    CHECK(edits["deviceNodes"][0] ==
          json({{"path", "/dev/kfd"}, {"type", "c"}, {"major", 236}, {"minor", 0},
                {"fileMode", 0660}, {"permissions", "rw"}, {"uid", 0}, {"gid", 110}}));
    CHECK(edits["additionalGids"] == json::array({110}));
    CHECK(edits["mounts"][0]["hostPath"] == "/host/lib");
    CHECK(edits["mounts"][0]["options"] == json::array({"bind", "ro"}));
    // What CDI has no word for.
    CHECK(document["deviceRules"] ==
          json::array({{{"type", "c"}, {"major", 226}, {"minor", 128}, {"access", "rw"}}}));
    CHECK(document["reasons"].size() == 7);
    CHECK(document["gpus"][0]["target"] == "gfx1031");
    CHECK(document["notices"] == json::array({"said"}));
    CHECK(json::parse(plan::render_json({}))["containerEdits"] == json::object());
    // Bytes that are no UTF-8 do not make it fail.
    plan::Plan odd;
    odd.notices = {"\xff\xfe"};
    CHECK(json::parse(plan::render_json(odd))["notices"].size() == 1);
}
