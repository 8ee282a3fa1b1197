#include <sys/fsuid.h>
#include <sys/stat.h>

#include "catch.hpp"
#include "host/readers.hpp"
#include "host/temp_tree.hpp"

using namespace gantry;
using namespace gantry::host;

namespace {

constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes/";

HostFacts read(const test::TempTree& tree) {
    HostFacts facts;
    read_kfd(tree.root(), facts);
    return facts;
}

std::string at(const std::string& rest) { return kNodes + rest; }

}  // namespace

TEST_CASE("KFD nodes are read in numeric order, banks of GPUs with them") {
    test::TempTree tree;
    tree.file(at("0/gpu_id"), "0\n").file(at("0/properties"), "cpu_cores_count 8\nsimd_count 0\n");
    for (const std::string node : {"2", "10"})
        tree.file(at(node + "/gpu_id"), "1324" + node + "\n")
            .file(at(node + "/name"), "ip discovery\n")
            .file(at(node + "/properties"),
                  "simd_count 80\nmem_banks_count 2\nunique_id 18446744073709551615\n")
            .file(at(node + "/mem_banks/0/properties"), "heap_type 1\nsize_in_bytes 4096\n")
            .file(at(node + "/mem_banks/1/properties"), "heap_type 2\nsize_in_bytes 8192\n");
    tree.folder(at("junk")).folder(at("01")).file("/sys/module/amdgpu/version", "6.8.5\n");
    const HostFacts facts = read(tree);
    CHECK(facts.kfd_present);
    CHECK(facts.amdgpu_version == "6.8.5");
    REQUIRE(facts.kfd_nodes.size() == 3);
    CHECK(facts.kfd_nodes[0].gpu_id == 0);
    CHECK(facts.kfd_nodes[1].index == 2);
    const KfdNode& last = facts.kfd_nodes[2];
    CHECK(last.index == 10);
    CHECK(last.gpu_id == 132410);
    CHECK(last.name == "ip discovery");
    CHECK(last.properties.at("unique_id") == UINT64_MAX);
    REQUIRE(last.banks.size() == 2);
    CHECK((last.banks[1].heap_type == 2 && last.banks[1].bytes == 8192));
    for (const KfdNode& node : facts.kfd_nodes) CHECK(node.problem.empty());
}

TEST_CASE("a KFD file that cannot be read is that node's problem alone") {
    const struct {
        const char* what;
        void (*damage)(test::TempTree&);
        const char* problem;
        bool keeps_simds;
    } cases[] = {
        {"vanished", [](test::TempTree& tree) { tree.folder(at("1")); }, "ENOENT", false},
        {"empty", [](test::TempTree& tree) { tree.file(at("1/properties")); }, "is empty", false},
        {"folder", [](test::TempTree& tree) { tree.folder(at("1/properties")); }, "EISDIR", false},
        {"garbage", [](test::TempTree& tree) {
             tree.file(at("1/properties"), "\x7f" "ELF\n\xff\xfe\n");
         }, "odd line \"\\x7fELF\"", false},
        {"huge", [](test::TempTree& tree) {
             tree.file(at("1/properties"), std::string(100000, '1'));
         }, "EFBIG", false},
        {"odd line between", [](test::TempTree& tree) {
             tree.file(at("1/properties"), "simd_count 80\nnew_thing on\n\nvendor_id 4098\n");
         }, "odd line \"new_thing on\"", true},
        {"number too large", [](test::TempTree& tree) {
             tree.file(at("1/properties"), "simd_count 80\nx 18446744073709551616\n");
         }, "odd line", true},
        {"gpu_id no number", [](test::TempTree& tree) {
             tree.file(at("1/gpu_id"), "x\n").file(at("1/properties"), "simd_count 80\n");
         }, "gpu_id is no number", true},
        {"gpu_id a folder", [](test::TempTree& tree) {
             tree.folder(at("1/gpu_id")).file(at("1/properties"), "simd_count 80\n");
         }, "EISDIR", true},
        {"bank vanished", [](test::TempTree& tree) {
             tree.file(at("1/properties"), "simd_count 80\nmem_banks_count 1\n");
         }, "mem_banks/0/properties", true},
    };
    for (const auto& row : cases) {
        CAPTURE(row.what);
        test::TempTree tree;
        tree.file(at("0/gpu_id"), "0\n").file(at("0/properties"), "cpu_cores_count 8\n");
        row.damage(tree);
        const HostFacts facts = read(tree);
        REQUIRE(facts.kfd_nodes.size() == 2);
        CHECK(facts.kfd_nodes[0].problem.empty());
        CHECK_THAT(facts.kfd_nodes[1].problem, Catch::Contains(row.problem));
        CHECK(facts.kfd_nodes[1].properties.count("simd_count") == (row.keeps_simds ? 1 : 0));
    }
}

TEST_CASE("a KFD node that its mode hides is told as such") {
    test::TempTree tree;
    tree.file(at("0/gpu_id"), "7\n").file(at("0/properties"), "simd_count 80\n");
    const HostRoot root = tree.root();
    REQUIRE(::chmod((tree.path() + at("0/gpu_id")).c_str(), 0) == 0);
    REQUIRE(::chmod(tree.path().c_str(), 0755) == 0);
    const int old = ::setfsuid(65534);
    HostFacts facts;
    read_kfd(root, facts);
    ::setfsuid(static_cast<uid_t>(old));
    REQUIRE(facts.kfd_nodes.size() == 1);
    CHECK_FALSE(facts.kfd_nodes[0].gpu_id);
    CHECK_THAT(facts.kfd_nodes[0].problem, Catch::Contains("gpu_id") && Catch::Contains("EACCES"));
    CHECK(facts.kfd_nodes[0].properties.at("simd_count") == 80);
}

TEST_CASE("a hostile KFD tree is bounded") {
    test::TempTree tree;
    std::string many;
    for (int i = 0; i < 2000; ++i) many += "p" + std::to_string(i) + " 1\n";
    tree.file(at("0/properties"), many + "simd_count 1\n");
    tree.file(at("1/properties"), "simd_count 1\nmem_banks_count 18446744073709551615\n");
    tree.folder(at("99999999999999999999"));
    const HostFacts facts = read(tree);
    REQUIRE(facts.kfd_nodes.size() == 2);
    CHECK(facts.kfd_nodes[0].properties.size() <= 256);
    CHECK(facts.kfd_nodes[1].banks.empty());
}

TEST_CASE("no KFD is no problem, an empty one is") {
    test::TempTree none;
    CHECK_FALSE(read(none).kfd_present);
    CHECK(read(none).problems.empty());
    test::TempTree empty;
    empty.folder("/sys/class/kfd");
    CHECK(read(empty).kfd_present);
    REQUIRE(read(empty).problems.size() == 1);
    CHECK_THAT(read(empty).problems[0], Catch::Contains("nodes/ is empty or cannot be read"));
}
