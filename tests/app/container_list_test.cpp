#include "app/container_list.hpp"

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

}  // namespace

TEST_CASE("ps lists the containers that exist, by id") {
    test::TempFolder state;
    state.folder("root/b").folder("root/a");
    for (const char* id : {"b", "gone", "a"})
        REQUIRE(write_record(state.path(), record(state / "root", id)));
    state.file("containers/half.json", "{");
    const auto records = list_records(state.path());
    REQUIRE(records.size() == 2);
    CHECK(records[0].id == "a");
    CHECK(records[1].id == "b");
    CHECK(list_records(state / "absent").empty());
}

TEST_CASE("ps prints every GPU and what was set") {
    Record none = record("/r", "none");
    none.gpus.clear();
    none.env.clear();
    none.verdict = "NO_GPU_LIBRARY";
    const std::string id = std::string(64, 'a');
    CHECK(render_container_table({record("/r", id), none}) ==
          "CONTAINER     VERDICT         GPU\n"
          "aaaaaaaaaaaa  PASS            AMD GPU 0 (RX 6700 XT)\n"
          "                              AMD GPU 1 (RX 6700 XT)\n"
          "                              HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
          "none          NO_GPU_LIBRARY  -\n");
    CHECK(render_container_table({}) == "No container has a GPU by Gantry.\n");
    const auto document = nlohmann::json::parse(render_container_json({record("/r", id)}));
    CHECK(document["containers"][0]["id"] == id);
    CHECK(document["containers"][0]["env"] ==
          nlohmann::json{{"HSA_OVERRIDE_GFX_VERSION", "10.3.0"}});
}
