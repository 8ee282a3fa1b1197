// The kernels compute what they are to compute: their source on the host, and the
// PTX that a build embeds in the interpreter.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.hpp"
#include "probe/kernels/check_run.hpp"
#include "probe/kernels/embedded.hpp"
#include "simulation.h"

using namespace gantry::probe;
using namespace gantry::probe::test;

namespace {

struct Module {
    Module() {
        char log[256] = "";
        loaded = ptx_load(gantry_ptx, log, sizeof log);
        INFO(log);
        REQUIRE(loaded);
    }
    ~Module() { ptx_unload(loaded); }
    Module(const Module&) = delete;
    ptx_module* loaded;
};

void require_right(Device& device, const Launch& launch) {
    REQUIRE(device.check(launch, kSeeds) == "");
    const std::vector<float> right = plain_product(device.n, kSeeds);
    CHECK(std::memcmp(device.c, right.data(), right.size() * sizeof(float)) == 0);
    CHECK(bad_rows(device, expected_dots(device.n, kSeeds)) == 0);
}

// What a device can do wrong, and how many rows that shows in.
struct Fault {
    const char* name;
    unsigned rows;
    void (*make)(float* c, std::uint32_t n);
};

void flip(float* at, unsigned bit) {
    std::uint32_t bits;
    std::memcpy(&bits, at, sizeof bits);
    bits ^= 1u << bit;
    std::memcpy(at, &bits, sizeof bits);
}

constexpr Fault kFaults[] = {
    {"lowest bit flipped", 1, [](float* c, std::uint32_t n) { flip(c + 7 * n + 3, 0); }},
    {"sign flipped", 1, [](float* c, std::uint32_t n) { flip(c + 7 * n + 3, 31); }},
    {"one more", 1, [](float* c, std::uint32_t n) { c[n - 1] += 1; }},
    {"NaN", 1, [](float* c, std::uint32_t) { c[0] = std::nanf(""); }},
    {"infinity", 1,
     [](float* c, std::uint32_t) { c[0] = -std::numeric_limits<float>::infinity(); }},
    {"a fraction", 1, [](float* c, std::uint32_t n) { c[n * n - 1] += 0.5f; }},
    {"too large", 1, [](float* c, std::uint32_t) { c[5] = 16777218.0f; }},
    {"too small", 1, [](float* c, std::uint32_t) { c[5] = -16777218.0f; }},
    {"largest that is exact", 1, [](float* c, std::uint32_t) { c[5] = 16777216.0f; }},
    {"a row of zeros", 1,
     [](float* c, std::uint32_t n) { std::memset(c + 9 * n, 0, n * sizeof *c); }},
    {"two values exchanged", 1, [](float* c, std::uint32_t) { std::swap(c[1], c[2]); }},
    {"two rows exchanged", 2,
     [](float* c, std::uint32_t n) { std::swap_ranges(c + n, c + 2 * n, c + 4 * n); }},
};

void require_seen(Device& device, const Launch& launch) {
    REQUIRE(device.check(launch, kSeeds) == "");
    const std::vector<std::uint64_t> expected = expected_dots(device.n, kSeeds);
    const std::vector<float> right(device.c, device.c + device.n * device.n);
    for (const Fault& fault : kFaults) {
        INFO(fault.name);
        std::memcpy(device.c, right.data(), right.size() * sizeof(float));
        fault.make(device.c, device.n);
        REQUIRE(device.rowdot(launch, kSeeds.r) == "");
        CHECK(bad_rows(device, expected) == fault.rows);
        for (std::uint32_t i = 0; i < device.n; ++i) {
            const RowSum want = plain_rowdot(device.c + i * device.n, device.n, kSeeds.r);
            CHECK(device.rows[i].dot == want.dot);
            CHECK(device.rows[i].bad == want.bad);
        }
    }
}

}  // namespace

TEST_CASE("the source on the host: the product is the one right one") {
    for (const std::uint32_t n : {128u, 256u, 512u}) {
        Device device(n);
        require_right(device, simulated());
    }
}

TEST_CASE("the source on the host: what is wrong in C shows") {
    Device device(256);
    require_seen(device, simulated());
}

TEST_CASE("the source on the host: no barrier can be left out") {
    for (int barrier = 0; barrier < SIMULATED_BARRIERS; ++barrier) {
        INFO("barrier " << barrier);
        Device device(256);
        simulated_left_out = barrier;
        const std::string fault = device.check(simulated(), kSeeds);
        simulated_left_out = -1;
        CHECK((!fault.empty() || bad_rows(device, expected_dots(256, kSeeds)) > 0));
    }
}

TEST_CASE("the embedded PTX: the product is the one right one") {
    const Module module;
    for (const std::uint32_t n : {128u, 256u, 384u}) {
        Device device(n);
        require_right(device, interpreted(*module.loaded, device, 0));
    }
}

TEST_CASE("the embedded PTX: what is wrong in C shows") {
    const Module module;
    Device device(256);
    require_seen(device, interpreted(*module.loaded, device, 0));
}

TEST_CASE("poison leaves nothing that counts as a number") {
    const Module module;
    Device device(128);
    for (const Launch& launch : {simulated(), interpreted(*module.loaded, device, 0)}) {
        for (std::uint32_t i = 0; i < 128 * 128; ++i) device.c[i] = 1;
        REQUIRE(device.poison(launch) == "");
        for (std::uint32_t i = 0; i < 128 * 128; ++i) REQUIRE(std::isnan(device.c[i]));
        REQUIRE(device.rowdot(launch, 1) == "");
        for (const RowSum& row : device.rows) CHECK(row.bad == 128);
    }
}

TEST_CASE("fill and poison end where the matrix ends") {
    const Module module;
    Device device(128);
    for (const Launch& launch : {simulated(), interpreted(*module.loaded, device, 0)}) {
        for (std::uint32_t i = 0; i < 1024; ++i) device.a[i] = device.c[i] = 0.5f;
        std::uint32_t count = 300, seed = 9;
        REQUIRE(launch("gantry_fill", 2, 1, {&device.a, &count, &seed}) == "");
        REQUIRE(launch("gantry_poison", 2, 1, {&device.c, &count}) == "");
        for (std::uint32_t i = 0; i < 300; ++i) CHECK(device.a[i] == float(elem(i, seed)));
        for (std::uint32_t i = 300; i < 1024; ++i) CHECK(device.a[i] == 0.5f);
        CHECK(std::isnan(device.c[299]));
        CHECK(device.c[300] == 0.5f);
    }
}

TEST_CASE("evidence: each group says which unit it ran on, and its clocks go on") {
    const Module module;
    Device device(128);
    constexpr unsigned kGroups = 40;
    for (const Launch& launch : {simulated(), interpreted(*module.loaded, device, 0)}) {
        std::uint32_t spin = 100;
        std::memset(device.c, 0xff, kGroups * sizeof(Evidence));
        REQUIRE(launch("gantry_evidence", kGroups, 1, {&device.c, &spin}) == "");
        std::vector<Evidence> records(kGroups);
        std::memcpy(records.data(), device.c, kGroups * sizeof(Evidence));
        for (unsigned group = 0; group < kGroups; ++group) {
            const Evidence& record = records[group];
            CHECK((record.group & 0x7fffffffu) == group);
            CHECK(record.unit == group % PTX_UNITS);
            CHECK(record.t0 <= record.t1);
            CHECK(record.c0 < record.c1);
            CHECK(record.t0 <= record.c0);  // both are one clock here
        }
    }
}
