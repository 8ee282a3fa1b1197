#include "probe/kernels/equivalent_mutants.hpp"

#include <regex>

namespace gantry::probe::test {
namespace {

// The numbers of registers are those of the committed kernels.ptx: after a change of
// the kernels each row is to be looked at again.
struct Row {
    const char *kernel, *before, *after, *why;
};

constexpr Row kRows[] = {
    {"gantry_(sgemm|rowdot)", R"(mov\.b(32|64) %rd?\d+, (0|0f00000000|%r662))",
     R"((abs|cvt)\.\S+ %rd?\d+, (0|0f00000000|%r662))", "a zero is a zero after any conversion"},
    {"gantry_sgemm", R"(mov\.b32 %r\d+, %r662)", R"(mov\.b32 %r\d+, %r(599|6[0-5]\d|66[0-2]))",
     "another sum that has been set to zero before"},
    {"gantry_sgemm", R"(mov\.b32 %r\d+, %r662)", R"(\S+ %r\d+, %r(1|2|4|5|6|7|8|9|10|19))",
     "the bits of a small integer are a float below 1e-40, which the first addition rounds off"},
    {"gantry_rowdot", R"(mov\.b(32 %r33|64 %rd55), 0)", R"(.*)",
     "set to zero twice, before the branch and behind it"},
    {".*", R"(cvt\.u64\.u32 .*)", R"(cvt\.s64\.s32 .*)", "the value is below 2^31"},
    {".*", R"(setp\.(lt|le|gt|ge)\.u32 .*)", R"(setp\.\1\.s32 .*)", "both values are below 2^31"},
    {"gantry_rowdot", R"(setp\.(lt|le|gt|ge)\.u32 .*)", R"(setp\.\1u?\.f32 .*)",
     "the bits of two numbers below 2^23 are floats in the same order"},
    {"gantry_rowdot", R"(setp\.ne\.b32 %p12, %r1, 0)", R"(setp\.(neu|gtu?)\.f32 %p12, %r1, 0)",
     "the bits of two numbers below 2^23 are floats in the same order"},
    {"gantry_rowdot", R"(setp\.neu\.f32 %p3, .*)", R"(setp\.ne\.[bu]32 .*)",
     "no NaN comes here, and what is cut off keeps its sign"},
    {"gantry_rowdot", R"(mov\.b32 %r35, 1)", R"(abs\.f32 %r35, 1)", "1 has no sign to lose"},
    {"gantry_rowdot", R"(add\.s64 (%rd\d+), .*)", R"(add\.s64 \1, %rd(29|32|35|38|41|44|47), .*)",
     "the sum that itself has stored a step before, instead of loading it again"},
    {"gantry_rowdot", R"(setp\.gtu\.f32 %p2, .*)", R"(setp\.gt\.[us]32 .*)",
     "floats without a sign are in the order of their bits, and NaN is above all"},
    {"gantry_rowdot", R"(setp\.ne\.b32 %p12, %r1, 0)", R"(setp\.gt\.[us]32 %p12, %r1, 0)",
     "no work-item has a number below 0"},
    {"gantry_sgemm", R"(setp\.lt\.u32 %p2, %r663, %r3)", R"(setp\.ne\.\S+ .*)",
     "k grows by 8 and meets n, a multiple of 8"},
    {"gantry_sgemm", R"(setp\.ge\.u32 %p1, %r663, %r3)", R"(setp\.eq\.\S+ .*)",
     "k grows by 8 and meets n, a multiple of 8"},
    {"gantry_fill", R"(add\.s32 %r1, %r5, %r6)", R"((or|xor)\.b32 .*)",
     "256 times the group and a number below 256 share no bit"},
    {"gantry_rowdot", R"(add\.s64 %rd[34], .*)", R"((or|xor)\.b64 .*)",
     "a base aligned to more than the offset shares no bit with it"},
    {"gantry_sgemm", R"(add\.s32 %r59[78], .*)", R"((or|xor)\.b32 .*)",
     "128 times the group, 64 and a number below 64 share no bit"},
    {"gantry_sgemm", R"(add\.s64 %rd(4|5|6|8|25|30|31|52|53), .*)", R"((or|xor)\.b64 .*)",
     "a base aligned to more than the offset shares no bit with it"},
    {"gantry_rowdot", R"(@%p12 bra \S+)", R"((@!%p12 bra \S+)?)",
     "every work-item, or all but the first, write the same sums to the same place"},
    {"gantry_rowdot", R"(bar\.sync 0)", "", "the last one: what follows is work-item 0 alone"},
};

std::string plain(const std::string& text) {
    return std::regex_replace(text, std::regex("[ \t]+"), " ");
}

}  // namespace

const char* why_equivalent(const Mutant& mutant) {
    const std::string before = plain(mutant.before), after = plain(mutant.after);
    for (const Row& row : kRows) {
        std::smatch found;
        if (!std::regex_match(mutant.kernel, std::regex(row.kernel)) ||
            !std::regex_match(before, found, std::regex(row.before)))
            continue;
        // \1 in `after`: what the first group of `before` has found.
        std::string pattern = row.after;
        if (const std::size_t at = pattern.find("\\1"); at != std::string::npos)
            pattern.replace(at, 2, found[1].str());
        if (std::regex_match(after, std::regex(pattern))) return row.why;
    }
    return nullptr;
}

}  // namespace gantry::probe::test
