#include "app/create_claim.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace gantry;
using namespace gantry::app;

namespace {

struct Ids {
    test::TempFolder folder;
    Record record;

    Ids() {
        record.root = folder / "root";
        record.id = "c1";
        record.runtime = {"/usr/sbin/runc", oci::RuntimeKind::Runc};
        record.bundle = "/b";
    }
    std::string claim() {
        const Status claimed = claim_record(folder.path(), record, {});
        return claimed ? "ok" : claimed.error().text();
    }
};

// A process that claims the record and then waits until it is told to end.
class OtherCreate {
public:
    explicit OtherCreate(Ids& ids) {
        int ready[2], stop[2];
        REQUIRE((::pipe(ready) == 0 && ::pipe(stop) == 0));
        pid_ = ::fork();
        if (pid_ == 0) {
            ::close(stop[1]);
            char byte = ids.claim() == "ok" ? 'y' : 'n';
            (void)!::write(ready[1], &byte, 1);
            (void)!::read(stop[0], &byte, 1);
            ::_exit(0);
        }
        ::close(stop[0]);
        ::close(ready[1]);
        stop_ = stop[1];
        char byte = 0;
        REQUIRE(::read(ready[0], &byte, 1) == 1);
        CHECK(byte == 'y');
        ::close(ready[0]);
    }
    void end() {
        if (pid_ <= 0) return;
        ::close(stop_);
        ::waitpid(pid_, nullptr, 0);
        pid_ = 0;
    }
    ~OtherCreate() { end(); }

private:
    pid_t pid_ = 0;
    int stop_ = -1;
};

}  // namespace

TEST_CASE("of two creates of one id at once the second is refused") {
    Ids ids;
    OtherCreate other(ids);
    CHECK(ids.claim().starts_with("GTY-112: a container with the id c1 is being made"));
    const auto kept = find_record(ids.folder.path(), {ids.record.root}, "c1");
    REQUIRE(kept);
    CHECK(process_lives(kept->creator));
    // Another root is another container.
    const std::string root = std::exchange(ids.record.root, "/elsewhere");
    CHECK(ids.claim() == "ok");
    ids.record.root = root;
    // Once it has ended without a container, its record holds nobody up.
    other.end();
    CHECK_FALSE(process_lives(kept->creator));
    CHECK(ids.claim() == "ok");
    // Its own record does not keep a process from trying again.
    CHECK(ids.claim() == "ok");
}

TEST_CASE("a container that exists keeps its id, whoever made it") {
    Ids ids;
    ids.folder.folder("root/c1");
    CHECK(ids.claim().starts_with("GTY-112: a container with the id c1 exists already"));
    CHECK_FALSE(find_record(ids.folder.path(), {ids.record.root}, "c1"));
}

TEST_CASE("a record whose maker is gone is swept at once, one that is being used is not") {
    Ids ids;
    OtherCreate other(ids);
    sweep_stale_records(ids.folder.path(), 10);
    CHECK(find_record(ids.folder.path(), {ids.record.root}, "c1"));
    other.end();
    sweep_stale_records(ids.folder.path(), 10);
    CHECK_FALSE(find_record(ids.folder.path(), {ids.record.root}, "c1"));
}

TEST_CASE("a process is known by its start too, for numbers come again") {
    const std::string self = own_process();
    CHECK(process_lives(self));
    for (const std::string& other :
         {self + "1", self.substr(0, self.find(' ')), self.substr(0, self.find(' ') + 1),
          std::string(), std::string("x y"), std::string("../1 2"), std::string("1 ")}) {
        CAPTURE(other);
        CHECK_FALSE(process_lives(other));
    }
}
