// The interpreter finds what it is there to find.
#include <cstring>

#include "catch.hpp"
#include "probe/kernels/check_run.hpp"
#include "probe/kernels/embedded.hpp"

using namespace gantry::probe;
using namespace gantry::probe::test;
using Catch::Contains;

namespace {

struct Ran {
    int outcome;
    std::string log;
    std::vector<std::uint32_t> memory;
};

// A kernel f(.u64 pointer to 64 words) of these lines, by one group of 64.
Ran run(const std::string& lines) {
    const std::string text =
        ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry f(\n"
        ".param .u64 .ptr .global .align 1 f_param_0\n)\n{\n"
        ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n"
        ".shared .align 16 .b8 s[256];\n"
        "ld.param.b64 %rd1, [f_param_0];\nmov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nmov.b64 %rd4, s;\n"
        "add.s64 %rd4, %rd4, %rd2;\n" + lines + "\nret;\n}\n";
    char log[256] = "";
    Ran ran{-1, "", std::vector<std::uint32_t>(64)};
    ptx_module* module = ptx_load(text.c_str(), log, sizeof log);
    if (module) {
        std::uint32_t* pointer = ran.memory.data();
        void* const arguments[] = {&pointer};
        const ptx_range range = {reinterpret_cast<std::uintptr_t>(pointer),
                                 reinterpret_cast<std::uintptr_t>(pointer + 64)};
        const ptx_launch launch = {1, 1, 64, arguments, &range, 1, 100000};
        ran.outcome = ptx_run(ptx_find(module, "f"), &launch, log, sizeof log);
        ptx_unload(module);
    }
    ran.log = log;
    return ran;
}

std::uint32_t first_word(const std::string& lines) {
    const Ran ran = run(lines + "\nst.global.b32 [%rd3], %r2;");
    INFO(lines << "\n" << ran.log);
    REQUIRE(ran.outcome == PTX_DONE);
    return ran.memory[0];
}

}  // namespace

TEST_CASE("what PTX says of single instructions") {
    struct Row {
        const char* lines;
        std::uint32_t word;
    };
    // Of the PTX ISA: shifts saturate, cvt.rzi.s32 saturates and makes 0 of NaN,
    // a comparison with NaN is false unless it has a u.
    const Row rows[] = {
        {"mov.b32 %r3, 32; shl.b32 %r2, 1, %r3;", 0},
        {"shr.u32 %r2, -1, 31;", 1},
        {"mov.b64 %rd2, -1; shr.u64 %rd2, %rd2, 60; cvt.u32.u64 %r2, %rd2;", 15},
        {"mul.lo.s32 %r2, -3, 5;", 0xfffffff1},
        {"mul.wide.u32 %rd2, -1, -1; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r2, %rd2;", 0xfffffffe},
        {"cvt.s64.s32 %rd2, -1; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r2, %rd2;", 0xffffffff},
        {"cvt.u64.u32 %rd2, -1; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r2, %rd2;", 0},
        {"cvt.rzi.s32.f32 %r2, 0fC0200000;", 0xfffffffe},   // -2.5
        {"cvt.rzi.s32.f32 %r2, 0f7F800000;", 0x7fffffff},   // infinity
        {"cvt.rzi.s32.f32 %r2, 0f7FC00000;", 0},            // NaN
        {"cvt.rzi.f32.f32 %r2, 0f40200000;", 0x40000000},   // 2.5
        {"cvt.rzi.f32.f32 %r2, 0fBE800000;", 0x80000000},   // -0.25 becomes -0
        {"cvt.rn.f32.s32 %r2, 16777217;", 0x4b800000},      // 2^24 + 1: to even
        {"fma.rn.f32 %r2, 0f3F800001, 0f3F800001, 0fBF800002;", 0x28800000},  // one rounding
        {"abs.f32 %r2, 0fBF800000;", 0x3f800000},
        {"setp.lt.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r2, 1, 2, %p1;", 2},
        {"setp.ltu.f32 %p1, 0f7FC00000, 0f00000000; selp.b32 %r2, 1, 2, %p1;", 1},
        {"setp.lt.s32 %p1, -1, 0; selp.b32 %r2, 1, 2, %p1;", 1},
        {"setp.lt.u32 %p1, -1, 0; selp.b32 %r2, 1, 2, %p1;", 2},
        {"mov.b64 %rd2, 3; mad.lo.s64 %rd2, %rd2, %rd2, %rd2; cvt.u32.u64 %r2, %rd2;", 12},
        {"mov.u32 %r2, %ntid.x;", 64},
    };
    for (const Row& row : rows) {
        INFO(row.lines);
        CHECK(first_word(row.lines) == row.word);
    }
}

TEST_CASE("work-items part and meet again") {
    const Ran ran = run("mov.b32 %r2, 0; mov.b32 %r3, 0;\n"
                        "LOOP: setp.ge.u32 %p1, %r3, %r1; @%p1 bra DONE;\n"
                        "add.s32 %r2, %r2, %r3; add.s32 %r3, %r3, 1; bra LOOP;\n"
                        "DONE: st.global.b32 [%rd3], %r2;");
    REQUIRE(ran.outcome == PTX_DONE);
    for (std::uint32_t i = 0; i < 64; ++i) CHECK(ran.memory[i] == i * (i - 1) / 2);
}

TEST_CASE("shared memory goes from one work-item to another, with a barrier") {
    const char* const other = "xor.b32 %r3, %r1, 63; mul.wide.u32 %rd2, %r3, 4;\n"
                              "mov.b64 %rd4, s; add.s64 %rd4, %rd4, %rd2;\n"
                              "ld.shared.b32 %r2, [%rd4]; st.global.b32 [%rd3], %r2;";
    const Ran good = run(std::string("st.shared.b32 [%rd4], %r1; bar.sync 0;\n") + other);
    REQUIRE(good.outcome == PTX_DONE);
    for (std::uint32_t i = 0; i < 64; ++i) CHECK(good.memory[i] == 63 - i);
    const Ran bad = run(std::string("st.shared.b32 [%rd4], %r1;\n") + other);
    CHECK(bad.outcome == PTX_RACE);
}

TEST_CASE("what a kernel may not do") {
    struct Row {
        const char* lines;
        int outcome;
        const char* log;
    };
    const Row rows[] = {
        {"st.global.b32 [%rd3+256], 1;", PTX_ILLEGAL_ADDRESS, "no memory of the kernel"},
        {"ld.global.b32 %r2, [%rd3+-4];", PTX_ILLEGAL_ADDRESS, "work-item 0: no memory"},
        {"ld.global.b64 %rd4, [%rd1+252];", PTX_MISALIGNED, "not aligned"},
        {"ld.global.b32 %r2, [%rd1+2];", PTX_MISALIGNED, "not aligned"},
        {"st.shared.b32 [%rd4+4], 1;", PTX_ILLEGAL_ADDRESS, "work-item 63: outside of the shared"},
        {"ld.shared.b32 %r2, [s];", PTX_RACE, "nobody wrote"},
        {"st.shared.b32 [s], 1;", PTX_RACE, "work-item 1: shared memory that another"},
        {"setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 0;", PTX_BAD_BARRIER, "not every work-item"},
        {"setp.eq.u32 %p1, %r1, 5; @%p1 bra END; bar.sync 0; END:", PTX_BAD_BARRIER,
         "not every work-item"},
        {"setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 0; B:",
         PTX_BAD_BARRIER, "another barrier"},
        {"LOOP: bra LOOP;", PTX_ENDLESS, "does not come to an end"},
        {"LOOP: bar.sync 0; bra LOOP;", PTX_ENDLESS, "does not come to an end"},
    };
    for (const Row& row : rows) {
        INFO(row.lines);
        const Ran ran = run(row.lines);
        CHECK(ran.outcome == row.outcome);
        CHECK_THAT(ran.log, Contains(row.log));
    }
}

TEST_CASE("text that is not understood is no module") {
    for (const char* line :
         {"frobnicate.b32 %r1, %r2;", "add.s32 %r1, %r2;", "add.s32 %r1, %r2, %rd1;",
          "add.s32 %r9, %r1, %r2;", "add.s32 1, %r1, %r2;", "ld.local.b32 %r1, [%rd1];",
          "ld.global.b32 %r1, [%p1];", "ld.global.v4.b32 %r1, [%rd1];", "bra NOWHERE;",
          "@%r1 bra END; END:", "add.s32 %r1, %r1, 1", "ld.param.b32 %r1, [f_param_1];",
          "ld.param.b32 %r1, [f_param_0];", "mov.u32 %r1, %laneid;", ".reg .b32 %x<2>;",
          "mov.b32 %r1, 0x;", "bar.sync 1;"}) {
        INFO(line);
        const Ran ran = run(line);
        CHECK(ran.outcome == -1);
        CHECK_THAT(ran.log, Contains("line "));
    }
}

TEST_CASE("no barrier of the embedded PTX can be left out") {
    const std::string ptx = gantry_ptx;
    std::vector<std::size_t> barriers;
    for (std::size_t at = 0; (at = ptx.find("bar.sync", at)) != std::string::npos; ++at)
        barriers.push_back(at);
    REQUIRE(barriers.size() >= 4);
    for (const std::size_t at : barriers) {
        INFO("barrier at " << at);
        std::string text = ptx;
        text.replace(at, text.find(';', at) + 1 - at, "");
        char log[256] = "";
        ptx_module* module = ptx_load(text.c_str(), log, sizeof log);
        REQUIRE(module);
        Device device(128);
        const std::string fault = device.check(interpreted(*module, device, 0), kSeeds);
        ptx_unload(module);
        // After the last step of rowdot work-item 0 goes on alone, with what itself wrote.
        if (at == barriers.back()) CHECK(fault == "");
        else CHECK_THAT(fault, Contains("shared memory"));
    }
}

TEST_CASE("the embedded PTX, cut off anywhere, is refused") {
    const std::string ptx = gantry_ptx;
    unsigned understood = 0;
    for (std::size_t size = 0; size < ptx.size(); size += 41) {
        char log[64] = "";
        if (ptx_module* module = ptx_load(ptx.substr(0, size).c_str(), log, sizeof log)) {
            ++understood;  // between two entries
            ptx_unload(module);
        }
    }
    CHECK(understood < 20);
}
