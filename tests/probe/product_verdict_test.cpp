// Did the GPU compute the product, right, fast, and by itself?
#include <cstdio>

#include "catch.hpp"
#include "probe/expected_sums.hpp"
#include "probe/kernels/gemm_data.hpp"
#include "verdict_samples.hpp"

using namespace gantry;
using namespace gantry::probe;
using namespace std::chrono_literals;

namespace {

constexpr unsigned kSize = 128;
constexpr double kFlop = 2.0 * kSize * kSize * kSize;  // of one product

// One NVIDIA GPU's check as it looks when all is well: what a test spoils.
struct Check {
    Expectation expectation = nvidia_expectation();
    unsigned products = 1000;  // so many that a small product takes a time that can be told
    TimedProducts timed;
    std::vector<std::uint64_t> sums;
    unsigned bad = 0;
    std::string before = "device\tnvidia\t0\t0000:65:00.0\tsm_75\t40\tTesla T4\n";
    std::string instead;  // of everything from `measure` on
    std::uint64_t device_ns = 1000;

    explicit Check(bool simulated = false) {
        expectation.simulated = simulated;
        expectation.product.size = kSize;
        timed.vendor = "nvidia";
        timed.wall = 1ms;  // 4.2 TFLOP/s
        timed.processor = 100us;
        timed.challenge = 5;
        timed.expected = expected_sums({kSize, 1, 2}, timed.challenge);
        sums = timed.expected;
    }

    [[nodiscard]] std::string lines() const {
        std::string text = before + "measure\tnvidia\t0\t0\nproduct\tnvidia\t0\t0\t" +
                           std::to_string(products) + "\t" + std::to_string(device_ns) + "\t" +
                           std::to_string(device_ns) + "\nsums\tnvidia\t0\t0\t0\t";
        for (const std::uint64_t sum : sums) {
            char digits[17];
            std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
            text += digits;
        }
        return text + "\nchecked\tnvidia\t0\t0\t" + std::to_string(bad) +
               "\nevidence\tnvidia\t0\t40\t1024\t1024\ndone\tnvidia\t0\n";
    }

    [[nodiscard]] Verdict judged() const {
        std::string report = nvidia_report();
        if (expectation.simulated)
            report = with(report, "stage\tcuInit\n", "fake\tnvidia\nstage\tcuInit\n");
        RunOutcome run = run_with(
            with(report, "end\n", (instead.empty() ? lines() : before + instead) + "end\n"));
        run.products = {timed};
        return judge(expectation, run);
    }
};

std::string message(const Check& check) {
    const Verdict verdict = check.judged();
    return verdict.error ? verdict.error->text() : verdict.summary;
}

bool says(const Check& check, const std::string& words) {
    INFO(message(check));
    INFO(words);
    return message(check).find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a right and fast product passes and is told") {
    const Check check;
    const Verdict verdict = check.judged();
    INFO(message(check));
    CHECK(verdict.outcome == Outcome::Pass);
    CHECK_FALSE(verdict.error);
    CHECK(verdict.summary.find("computed right at 4.2 TFLOP/s") != std::string::npos);
    REQUIRE(verdict.gpus.size() == 1);
    CHECK(verdict.gpus[0].title == "NVIDIA GPU 0 (T4)");
    CHECK(verdict.gpus[0].target == "sm_75");
    CHECK(verdict.gpus[0].judged_gflops == Approx(kFlop / 1000));
    CHECK(verdict.gpus[0].units_seen == 40);
}

TEST_CASE("one wrong sum is a wrong result, and says where") {
    Check check;
    check.sums[77] += 1;
    CHECK(check.judged().outcome == Outcome::WrongResult);
    CHECK(says(check, "GPU check failed: NVIDIA GPU 0: it computes wrong; take this GPU out of use"));
    CHECK(says(check, "row 77 of 128"));
    check.sums[78] += 1;
    CHECK(says(check, "rows 77 to 78 of 128"));
    check.sums[100] += 1;
    CHECK(says(check, "3 rows from 77 to 100"));
    for (std::uint64_t& sum : check.sums) sum += 7;
    CHECK(says(check, "no product was computed"));
}

TEST_CASE("values that are no integers are a wrong result though every sum fits") {
    Check check;
    check.bad = 3;
    CHECK(check.judged().outcome == Outcome::WrongResult);
    CHECK(says(check, "3 values are no integers"));
}

TEST_CASE("a processor that did the work is found by the time it used") {
    Check check;
    check.timed.processor = 2100us;  // 4.2e9 FLOP in it: just under 2e12 a second
    CHECK(check.judged().outcome == Outcome::CpuFallback);
    CHECK(says(check, "a processor did its work"));
    check.timed.processor = 2000us;
    CHECK(check.judged().outcome == Outcome::Pass);
    check.timed.processor.reset();  // nobody knows: no finding
    CHECK(check.judged().outcome == Outcome::Pass);
}

TEST_CASE("slow is told against the floor, which the peak lowers and the configuration sets") {
    Check check;
    check.expectation.nvidia[0].peak_gflops = 0;
    check.expectation.product.min_gflops = 0;
    check.device_ns = 10000;
    check.timed.wall = 8200us;  // 511 GFLOP/s
    CHECK(check.judged().outcome == Outcome::Pass);
    check.timed.wall = 8500us;  // 493
    CHECK(check.judged().outcome == Outcome::Slow);
    CHECK(says(check, "GPU check: NVIDIA GPU 0: slow, 493 GFLOP/s of 500 GFLOP/s"));
    check.expectation.nvidia[0].peak_gflops = 4900;
    CHECK(check.judged().outcome == Outcome::Pass);
    check.expectation.nvidia[0].peak_gflops = 560;  // a tenth would be no proof of a GPU
    check.timed.wall = 45ms;
    CHECK(says(check, "of 100 GFLOP/s"));
    check.expectation.nvidia[0].peak_gflops = 8100;
    check.expectation.product.min_gflops = 4000;
    check.timed.wall = 1100us;
    CHECK(check.judged().outcome == Outcome::Slow);
    check.expectation.product = {kSize, 1, 100, 0, 0.5, false, true};
    CHECK(check.judged().outcome == Outcome::Slow);
    check.timed.wall = 1ms;
    CHECK(check.judged().outcome == Outcome::Pass);
}

TEST_CASE("slow is no finding while others may compute there") {
    Check check;
    check.timed.wall = 500ms;
    CHECK(check.judged().outcome == Outcome::Slow);
    check.expectation.product.timed = false;
    CHECK(check.judged().outcome == Outcome::Pass);
}

TEST_CASE("the GPU's own clock is a claim: it neither saves a slow one nor may it be absurd") {
    Check check;
    check.timed.wall = 500ms;
    check.device_ns = 1000;
    CHECK(check.judged().outcome == Outcome::Slow);
    check.timed.wall = 1ms;
    check.device_ns = 1;  // 4.2 PFLOP/s on a T4
    CHECK(check.judged().outcome == Outcome::Fault);
    CHECK(says(check, "more than it can have done"));
}

TEST_CASE("a product that was done before it began, by our clock") {
    Check check;
    check.timed.wall = 1us;
    CHECK(says(check, "more than it can have done"));
}

TEST_CASE("a simulated host's stand-in is judged by its claim, and proves nothing") {
    Check check(true);
    check.timed.wall = 2s;
    check.timed.processor = 2s;
    CHECK(check.judged().outcome == Outcome::Simulated);
    check.device_ns = 100000;  // 42 GFLOP/s
    CHECK(check.judged().outcome == Outcome::Slow);
    check.sums[0] = 0;
    CHECK(check.judged().outcome == Outcome::WrongResult);
}

TEST_CASE("sums that are missing, or a product without a challenge, are no result") {
    Check check;
    check.sums.pop_back();
    CHECK(check.judged().outcome == Outcome::Fault);
    CHECK(says(check, "127 of 128 row sums"));
    Check unasked;
    unasked.timed.index = 3;
    CHECK(unasked.judged().outcome == Outcome::Fault);
    Check silent;
    silent.instead = "measure\tnvidia\t0\t0\n";
    CHECK(silent.judged().outcome == Outcome::Fault);
    silent.instead = "done\tnvidia\t0\n";
    CHECK(silent.judged().outcome == Outcome::Fault);
    CHECK(says(silent, "leaves out the product"));
}

TEST_CASE("busy GPUs warn and say why; an unknown reason does not pass") {
    Check check;
    const struct {
        const char *why, *words;
    } rows[] = {{"memory", "too little memory free"},
                {"exclusive", "exclusive compute mode"},
                {"mps", "MPS"},
                {"held", "held by another process"}};
    for (const auto& row : rows) {
        check.instead = "memory\tnvidia\t0\t1048576\t17179869184\nbusy\tnvidia\t0\t" +
                        std::string(row.why) + "\n";
        CHECK(check.judged().outcome == Outcome::Busy);
        CHECK(says(check, row.words));
        CHECK(says(check, "Free: 1 of 16384 MiB"));
    }
    check.instead = "busy\tnvidia\t0\tlunch\n";
    CHECK(check.judged().outcome == Outcome::Fault);
}

TEST_CASE("a GPU that others use is counted, not computed on, and warned of") {
    Check check;
    check.expectation.nvidia[0].in_use = "2 processes have memory on it.";
    check.instead = "note\tnothing of it\n";
    check.before.clear();
    CHECK(check.judged().outcome == Outcome::Busy);
    CHECK(says(check, "GPU check: NVIDIA GPU 0: in use by others"));
    CHECK(says(check, "2 processes have memory on it."));
    REQUIRE(check.judged().gpus.size() == 1);
}

TEST_CASE("a call that one GPU refuses is judged by its code") {
    Check check;
    const struct {
        int code;
        Outcome outcome;
    } rows[] = {{2, Outcome::OutOfGpuMemory}, {46, Outcome::Busy},      {221, Outcome::Mismatch},
                {700, Outcome::Fault},        {999, Outcome::Mismatch}, {4711, Outcome::Mismatch}};
    for (const auto& row : rows) {
        INFO(row.code);
        check.instead =
            "failed\tnvidia\tcuLaunchKernel\t" + std::to_string(row.code) + "\tX\t0\n";
        CHECK(check.judged().outcome == row.outcome);
        CHECK(says(check, "cuLaunchKernel said " + std::to_string(row.code)));
    }
}

TEST_CASE("of several GPUs the worst finding is told, with the number of all") {
    Check check;
    check.expectation.nvidia = {{"NVIDIA GPU 0 (T4)", "0000:65:00.0", 0},
                                {"NVIDIA GPU 1 (T4)", "0000:66:00.0", 0},
                                {"NVIDIA GPU 2 (T4)", "0000:67:00.0", 0}};
    std::string report = with(nvidia_report(3), "end\n", check.lines() +
        "device\tnvidia\t1\t0000:66:00.0\tsm_75\t40\tTesla T4\nbusy\tnvidia\t1\tmemory\n"
        "device\tnvidia\t2\t0000:67:00.0\tsm_75\t40\tTesla T4\n"
        "failed\tnvidia\tcuCtxSynchronize\t719\tX\t2\nend\n");
    RunOutcome run = run_with(report);
    run.products = {check.timed};
    const Verdict verdict = judge(check.expectation, run);
    CHECK(verdict.outcome == Outcome::Fault);
    REQUIRE(verdict.error);
    CHECK(verdict.error->message.find("NVIDIA GPU 2") != std::string::npos);
    CHECK(verdict.error->text().find("2 of 3 GPUs") != std::string::npos);
    REQUIRE(verdict.gpus.size() == 3);
    CHECK(verdict.gpus[0].outcome == Outcome::Pass);
    CHECK(verdict.gpus[1].outcome == Outcome::Busy);
    CHECK(verdict.gpus[2].outcome == Outcome::Fault);
}

TEST_CASE("a library that shows other GPUs than the granted ones") {
    Check check;
    check.before = "device\tnvidia\t0\t0000:99:00.0\tsm_75\t40\tTesla T4\n";
    CHECK(check.judged().error->code == Code::ProbeDeviceCount);
}

TEST_CASE("a hang is told with the GPU's own stage") {
    RunOutcome run = run_with(with(nvidia_report(), "end\n",
                                   "device\tnvidia\t0\t0000:65:00.0\tsm_75\t40\tX\n"
                                   "stage\tcuModuleLoadDataEx\tnvidia\t0\nnote\tx\n"));
    run.deadline_passed = true;
    Expectation expectation = nvidia_expectation();
    expectation.product.size = kSize;
    const Verdict verdict = judge(expectation, run);
    CHECK(verdict.outcome == Outcome::Hung);
    CHECK(verdict.error->text().find("hung at cuModuleLoadDataEx") != std::string::npos);
}

TEST_CASE("a stuck check names its process") {
    RunOutcome run = run_with(nvidia_report());
    run.unkillable = true;
    run.waits = "process 4711 waits in fuse_dev_read";
    const Verdict verdict = judge(nvidia_expectation(), run);
    CHECK(verdict.outcome == Outcome::StuckInDriver);
    CHECK(verdict.error->text().find("process 4711 waits in fuse_dev_read") != std::string::npos);
}
