#include "app/state_folder.hpp"

#include <sched.h>

#include <fstream>

#include "catch.hpp"
#include "in_child.hpp"

using namespace gantry;
using namespace gantry::app;

TEST_CASE("a variable of an environment") {
    const std::vector<std::string> environment = {"AB=1", "A=2", "A=3", "B", "=4", "C="};
    CHECK(environment_value(environment, "A") == "2");
    CHECK(environment_value(environment, "AB") == "1");
    for (const char* name : {"B", "C", "D", ""}) {
        CAPTURE(name);
        CHECK(environment_value(environment, name) == (*name ? "" : "4"));
    }
    CHECK(environment_value({}, "A").empty());
}

TEST_CASE("the state folder is the host's for root and the user's own for everybody else") {
    CHECK(test::as_nobody([] { return state_folder("/run/user/5"); }) == "/run/user/5/gantry");
    CHECK(test::as_nobody([] { return state_folder(""); }) == "/run/gantry");
    CHECK(test::as_nobody([] { return state_folder("relative"); }) == "/run/gantry");
    CHECK(test::in_child([]() -> std::string {
              if (::unshare(CLONE_NEWUSER) != 0) return "/run/user/5/gantry";  // not permitted here
              return state_folder("/run/user/5");
          }) == "/run/user/5/gantry");
    std::ifstream map("/proc/self/uid_map");
    std::string inside, outside, size;
    map >> inside >> outside >> size;
    if (::geteuid() == 0 && outside == "0" && size == "4294967295")
        CHECK(state_folder("/run/user/5") == "/run/gantry");
}
