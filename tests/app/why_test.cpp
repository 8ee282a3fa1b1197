#include "app/why.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/explain.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

Account account(const std::string& id, std::int64_t time, bool refused = true,
                const std::string& pod = "", const std::string& container = "") {
    Account made;
    made.id = id;
    made.root = "/run/runc";
    made.bundle = "/bundle";
    made.runtime = "/usr/sbin/runc";
    if (refused) made.error = Error{Code::ProbeAccess, "GPU check failed: x; do y", "Because."};
    made.story.time = time;
    made.story.pod = pod;
    made.story.container = container;
    return made;
}

// Ids and times of those chosen.
std::string chosen(const std::vector<Account>& all, const std::string& wanted) {
    std::string text;
    for (const Account& each : choose_accounts(all, wanted))
        text += each.id + "@" + std::to_string(each.story.time) + " ";
    return text;
}

}  // namespace

TEST_CASE("why finds one container by the beginning of its id, its pod or its name there") {
    const std::vector<Account> all = {
        account("abc2", 5, false), account("abc1", 4, true, "shop/web", "server"),
        account("abc1", 3),        account("zz", 2, true, "test/web"),
        account("abc", 1)};
    CHECK(chosen(all, "") == "abc1@4 ");  // the newest that was refused
    CHECK(chosen(all, "abc2") == "abc2@5 ");
    CHECK(chosen(all, "abc1") == "abc1@4 ");
    CHECK(chosen(all, "abc") == "abc@1 ");  // whole before beginnings
    CHECK(chosen(all, "ab") == "abc2@5 abc1@4 abc@1 ");
    CHECK(chosen(all, "shop/web") == "abc1@4 ");
    CHECK(chosen(all, "web") == "abc1@4 zz@2 ");
    CHECK(chosen(all, "server") == "abc1@4 ");
    CHECK(chosen(all, "nobody").empty());
    CHECK(chosen({account("a", 1, false)}, "").empty());
    CHECK(chosen({}, "").empty());
}

TEST_CASE("why knows live containers and refused ones") {
    test::TempFolder state;
    Record record;
    record.root = state / "root";
    record.id = "alive";
    record.runtime = {"/usr/bin/crun", oci::RuntimeKind::Crun};
    record.verdict = "PASS";
    state.file("root/alive/status", R"({"pid":)" + std::to_string(::getpid()) + "}");
    Story story;
    story.time = 10;
    story.verdict = "PASS";
    REQUIRE(write_record(state.path(), record, story));
    Failure failure;
    failure.id = "refused";
    failure.error = {Code::NoGpu, "none", ""};
    failure.story.time = 20;
    keep_failure(state.path(), failure);
    const auto all = list_accounts(state.path());
    REQUIRE(all.size() == 2);
    CHECK(all[0].id == "refused");
    CHECK(all[1].id == "alive");
    CHECK_FALSE(all[1].error);
}

TEST_CASE("an account has the steps, the whole error and the reasons") {
    Account one = account("web1", 1'700'000'000, true, "shop/web", "server");
    one.error->remedy = std::string(900, 'r');
    one.story.gpus = {"AMD GPU 0 (X)"};
    one.story.steps = {{"plan", 1'500}, {"check", 40'000}};
    one.story.reasons = {"node  /dev/kfd"};
    one.story.warnings = {"careful"};
    const std::string text = render_account(one);
    INFO(text);
    for (const char* part :
         {"container web1, pod shop/web, server in it\n", "2023-11-14 22:13:20 UTC",
          "GPU      AMD GPU 0 (X)\n", "outcome  refused (GTY-401)\n", "plan             1.5 ms\n",
          "check           40.0 ms  ended here\n", "GTY-401: GPU check failed: x; do y\n",
          "gantryctl explain GTY-401\n", "careful", "node  /dev/kfd"})
        CHECK(text.find(part) != std::string::npos);
    CHECK(text.find(one.error->remedy) != std::string::npos);  // not cut as for engines

    const auto json = nlohmann::json::parse(render_account_json(one));
    CHECK(json["outcome"] == "REFUSED");
    CHECK(json["error"]["code"] == "GTY-401");
    CHECK(json["story"]["pod"] == "shop/web");

    Account live = account("web2", 1'700'000'000, false);
    live.story.verdict = "PASS";
    live.story.summary = "2 nodes opened";
    CHECK(render_account(live).find("outcome  PASS\n           2 nodes opened\n") !=
          std::string::npos);
    CHECK(render_account(live).find("error") == std::string::npos);
}

TEST_CASE("explain answers with the row, with lines for several, or with what is near") {
    CHECK(explain("204").found);
    CHECK(explain("204").text.starts_with("GTY-204  /dev/kfd without its render node\n\n"));
    CHECK(explain("No HIP GPUs are available").text.find("  GTY-206  ") != std::string::npos);
    const Explained unknown = explain("GTY-299");
    CHECK_FALSE(unknown.found);
    CHECK(unknown.text.find("GTY-207") != std::string::npos);
    CHECK(explain("cuda 999").text.find("CUDA_ERROR_UNKNOWN") != std::string::npos);
    CHECK_FALSE(explain("").found);
}
