#include "app/container_list.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

Record record(const std::string& root, const std::string& id) {
    Record made;
    made.root = root;
    made.id = id;
    made.runtime = {"/usr/bin/crun", oci::RuntimeKind::Crun};
    made.verdict = "PASS";
    made.gpus = {"AMD GPU 0 (RX 6700 XT)", "AMD GPU 1 (RX 6700 XT)"};
    made.env = {{"HSA_OVERRIDE_GFX_VERSION", "10.3.0", {}}, {"GONE", std::nullopt, {}}};
    return made;
}

RecordedContainer recorded(const std::string& id) {
    RecordedContainer made{record("/r", id), {}};
    made.story.steps = {{"plan", 1'200}, {"check", 40'400}};
    return made;
}

}  // namespace

TEST_CASE("ps lists the containers that live, by id") {
    test::TempFolder state;
    const std::string mine = R"({"pid":)" + std::to_string(::getpid()) + "}";
    state.file("root/b/status", mine).file("root/a/status", mine);
    state.file("root/ended/status", R"({"pid":4194305})").folder("root/nothing");
    Story story;
    story.pod = "shop/web";
    for (const char* id : {"b", "gone", "a", "ended", "nothing"})
        REQUIRE(write_record(state.path(), record(state / "root", id), story));
    state.file("containers/half.json", "{");
    const auto live = list_live_containers(state.path());
    REQUIRE(live.size() == 2);
    CHECK(live[0].record.id == "a");
    CHECK(live[1].record.id == "b");
    CHECK(live[1].story.pod == "shop/web");
    CHECK(list_live_containers(state / "absent").empty());
}

TEST_CASE("ps prints every GPU, what was set and what it took") {
    RecordedContainer none = recorded("none");
    none.record.gpus.clear();
    none.record.env.clear();
    none.record.verdict = "NO_GPU_LIBRARY";
    none.story.pod = "shop/web";
    none.story.warnings = {"one"};
    const std::string id = std::string(64, 'a');
    CHECK(render_container_table({recorded(id), none}) ==
          "CONTAINER     VERDICT         TOOK     GPU\n"
          "aaaaaaaaaaaa  PASS            42 ms    AMD GPU 0 (RX 6700 XT)\n"
          "                                       AMD GPU 1 (RX 6700 XT)\n"
          "                                       HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
          "none          NO_GPU_LIBRARY  42 ms    -\n"
          "                                       pod shop/web\n"
          "                                       1 warning: gantryctl why none\n");
    CHECK(render_container_table({}) == "No container has a GPU by Gantry.\n");
    const auto document = nlohmann::json::parse(render_container_json({recorded(id)}));
    CHECK(document["containers"][0]["id"] == id);
    CHECK(document["containers"][0]["milliseconds"] == 42);
    CHECK(document["containers"][0]["env"] ==
          nlohmann::json{{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}});
}
