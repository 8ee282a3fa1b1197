// Did each GPU compute the product, right, fast, and by itself?
#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
#include "probe/foreign_text.hpp"
#include "probe/judgement.hpp"
#include "probe/kernels/gemm_data.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe {
namespace {

// No core of any processor comes near half of this (fp32, all vector units),
// and a GPU whose waits sleep is far above it.
constexpr double kLeastFlopPerProcessorSecond = 2e12;
// Clocks boost and sheets err, but not this much: the product was not computed
// in that time. Where the peak is not known, twice the fastest GPU's.
constexpr double kMostOfPeak = 5;
constexpr double kMostGflops = 1e6;
constexpr double kLeastFloorGflops = 100, kDefaultFloorGflops = 500, kFloorOfPeak = 0.1;

double flop_of(const ExpectedProduct& product) {
    const double n = product.size;
    return 2 * n * n * n;
}

double floor_of(const ExpectedGpu& gpu, const ExpectedProduct& product) {
    double floor = product.min_gflops;
    if (floor == 0)
        floor = gpu.peak_gflops > 0 ? std::min(kDefaultFloorGflops, gpu.peak_gflops * kFloorOfPeak)
                                    : kDefaultFloorGflops;
    floor = std::max(floor, kLeastFloorGflops);
    return std::max(floor, gpu.peak_gflops * product.min_fraction_of_peak);
}

// What is known of one GPU while it is judged.
struct Judged {
    const Vendor& vendor;
    const ExpectedGpu& granted;
    const Expectation& expectation;
    const LibraryReport& library;
    const Report& report;
    const GpuReport& gpu;
    const std::vector<TimedProducts>& timed;
    GpuResult& result;
};

std::string library_text(const Judged& judged) {
    std::string text = "Library: " + foreign_text(judged.library.path, 120) + ".";
    if (!judged.gpu.target.empty()) text = foreign_text(judged.gpu.target, 24) + ". " + text;
    return text;
}

Error garbled(const Judged& judged, const std::string& what) {
    return check_failed(Code::ProbeGarbled, judged.granted.title, what, "see the engine's log",
                        "Something in the image speaks in the check's name, or gantry-probe is of "
                        "another version. " + library_text(judged));
}

struct BusyText {
    std::string_view why;
    const char *what, *action, *details;
};
constexpr BusyText kBusyTexts[] = {
    {kBusyMemory, "too little memory free to compute", "stop what fills it, if that is not meant",
     "Less than 2 GiB are free, so others use this GPU and nothing was computed on it."},
    {kBusyExclusive, "in exclusive compute mode, not computed on", "nothing to do if that is meant",
     "A check's own context could keep the container's process out (nvidia-smi -q -d COMPUTE)."},
    {kBusyMps, "shared through MPS, not computed on", "nothing to do if that is meant",
     "CUDA_MPS_PIPE_DIRECTORY is set: its clients share one context."},
    {kBusyHeld, "held by another process", "stop it, or wait",
     "The driver gives out no further context on it (CUDA 46)."},
};

Error busy(const Judged& judged) {
    const BusyText* text = std::ranges::find(kBusyTexts, judged.gpu.busy, &BusyText::why);
    if (text == std::end(kBusyTexts)) return garbled(judged, "it is busy in an unknown way");
    std::string details = text->details;
    if (judged.gpu.total_bytes > 0)
        details += " Free: " + std::to_string(judged.gpu.free_bytes >> 20) + " of " +
                   std::to_string(judged.gpu.total_bytes >> 20) + " MiB.";
    return check_warned(Code::ProbeBusy, judged.granted.title, text->what, text->action,
                        details + " Its device nodes are usable.");
}

const TimedProducts* find_timed(const Judged& judged, unsigned round) {
    for (const TimedProducts& timed : judged.timed)
        if (timed.vendor == judged.vendor.word && timed.index == judged.gpu.index &&
            timed.round == round)
            return &timed;
    return nullptr;
}

// "row 1037", "rows 128 to 255", "17 rows from 3 to 4000": a tile of 128 rows is
// one unit's work, scattered rows are memory or a link.
std::string rows_text(const std::vector<std::size_t>& rows) {
    const std::string first = std::to_string(rows.front());
    if (rows.size() == 1) return "row " + first;
    const bool run = rows.back() - rows.front() + 1 == rows.size();
    return (run ? "rows " : std::to_string(rows.size()) + " rows from ") + first + " to " +
           std::to_string(rows.back());
}

std::optional<Error> judge_sums(const Judged& judged, const RoundReport& round,
                                const TimedProducts& timed) {
    if (round.sums.size() != judged.expectation.product.size ||
        timed.expected.size() != round.sums.size())
        return garbled(judged, "it tells " + std::to_string(round.sums.size()) + " of " +
                                   std::to_string(judged.expectation.product.size) + " row sums");
    std::vector<std::size_t> wrong;
    for (std::size_t row = 0; row < round.sums.size(); ++row)
        if (round.sums[row] != timed.expected[row]) wrong.push_back(row);
    if (wrong.empty() && *round.bad == 0) return std::nullopt;

    std::string where = "Wrong: ";
    where += wrong.empty() ? "no sum" : rows_text(wrong) + " of " + std::to_string(round.sums.size());
    if (*round.bad > 0) where += "; " + std::to_string(*round.bad) + " values are no integers";
    where += wrong.size() == round.sums.size()
                 ? ". All of it is wrong: no product was computed, or not from these matrices."
                 : ". Every value of this product is exact on a sound GPU.";
    return check_failed(Code::ProbeWrongResult, judged.granted.title, "it computes wrong",
                        "take this GPU out of use", where + " " + library_text(judged));
}

// Only the launcher's clock and the container's processor time are believed.
std::optional<Error> judge_speed(const Judged& judged, const RoundReport& round,
                                 const TimedProducts& timed) {
    const ExpectedProduct& product = judged.expectation.product;
    const double flop = flop_of(product) * round.products;
    const double seconds = std::chrono::duration<double>(timed.wall).count();
    if (round.best_ns == 0 || round.median_ns == 0)
        return garbled(judged, "it claims to take no time at all");
    const auto gflops = [&](std::uint64_t ns) {
        return flop_of(product) / static_cast<double>(ns);
    };
    GpuResult& result = judged.result;
    result.best_gflops = std::max(result.best_gflops, gflops(round.best_ns));
    result.median_gflops = gflops(round.median_ns);
    // Of a stand-in on a processor the claim is all that there is to judge.
    result.judged_gflops = judged.expectation.simulated ? result.median_gflops
                           : seconds > 0                ? flop / seconds / 1e9
                                                        : 0;

    if (timed.processor)
        result.processor_seconds = std::chrono::duration<double>(*timed.processor).count();

    const double most = judged.granted.peak_gflops > 0
                            ? judged.granted.peak_gflops * kMostOfPeak
                            : kMostGflops;
    if (result.judged_gflops > most || result.best_gflops > most)
        return garbled(judged, "it claims " + rate_text(std::max(result.judged_gflops,
                                                                 result.best_gflops)) +
                                   ", more than it can have done");
    if (!judged.expectation.simulated && timed.processor && timed.processor->count() > 0) {
        const double used = std::chrono::duration<double>(*timed.processor).count();
        if (flop / used < kLeastFlopPerProcessorSecond) {
            char text[160];
            std::snprintf(text, sizeof text,
                          "%.2f s of processor time went into %.0f GFLOP: %.3g FLOP a second, and "
                          "a GPU needs almost none (at least 2e12 are asked).",
                          used, flop / 1e9, flop / used);
            return check_failed(Code::ProbeCpuFallback, judged.granted.title,
                                "a processor did its work", "see which library was loaded",
                                text + (" " + library_text(judged)));
        }
    }
    const double floor = floor_of(judged.granted, product);
    if (!product.timed || result.judged_gflops >= floor) return std::nullopt;
    return check_warned(Code::ProbeSlow, judged.granted.title,
                        "slow, " + rate_text(result.judged_gflops) + " of " + rate_text(floor),
                        "see its clocks, power limit, other users",
                        "The product is right. Floor: [probe] min-gflops. " + library_text(judged));
}

std::optional<Error> judge_gpu(const Judged& judged) {
    const GpuReport& gpu = judged.gpu;
    if (!gpu.failed.call.empty())
        return judge_failed_call(judged.vendor, judged.granted.title, gpu.failed, judged.library,
                                 judged.report);
    if (!gpu.busy.empty()) return busy(judged);
    if (gpu.rounds.size() != judged.expectation.product.rounds)
        return garbled(judged, "it leaves out the product");
    std::optional<Error> slow;
    for (unsigned number = 0; number < gpu.rounds.size(); ++number) {
        const RoundReport& round = gpu.rounds[number];
        const TimedProducts* const timed = find_timed(judged, number);
        if (!round.bad || !timed) return garbled(judged, "it leaves out the result");
        if (auto error = judge_sums(judged, round, *timed)) return error;
        if (auto error = judge_speed(judged, round, *timed)) {
            if (row_of(outcome_of(error->code)).refuses) return error;
            slow = std::move(error);
        }
    }
    return slow;
}

// The k-th GPU at one address is the k-th that was granted there (partitions). On
// a simulated host the library's addresses are its own, so the order tells.
const GpuReport* find_gpu(const Expectation& expectation, const LibraryReport& library,
                          const ExpectedGpu& granted, std::vector<bool>& taken) {
    for (std::size_t i = 0; i < library.gpus.size(); ++i) {
        const GpuReport& gpu = library.gpus[i];
        if (taken[i] || (!expectation.simulated && gpu.pci != granted.pci_address)) continue;
        taken[i] = true;
        return &gpu;
    }
    return nullptr;
}

bool worse(const Error& one, const Error& other) {
    const auto rank = [](const Error& error) {
        const Outcome outcome = outcome_of(error.code);
        return (row_of(outcome).refuses ? 100 : 0) + static_cast<int>(outcome);
    };
    return rank(one) > rank(other);
}

std::string summary_of(const std::vector<GpuResult>& results) {
    std::vector<std::string> rates;
    for (const GpuResult& result : results)
        if (result.judged_gflops > 0) rates.push_back(rate_text(result.judged_gflops));
    return rates.empty() ? "" : "computed right at " + join(rates, ", ");
}

}  // namespace

std::string rate_text(double gflops) {
    char text[32];
    std::snprintf(text, sizeof text, gflops < 1000 ? "%.0f GFLOP/s" : "%.1f TFLOP/s",
                  gflops < 1000 ? gflops : gflops / 1000);
    return text;
}

void judge_products(const Vendor& vendor, const std::vector<ExpectedGpu>& granted,
                    const Expectation& expectation, const LibraryReport& library,
                    const Report& report, const std::vector<TimedProducts>& timed,
                    LibraryJudgement& judgement) {
    std::vector<bool> taken(library.gpus.size());
    unsigned failures = 0;
    for (const ExpectedGpu& expected : granted) {
        if (!expected.in_use.empty()) {
            judgement.gpus.push_back({expected.title, {}, Outcome::Busy, 0, 0, 0,
                                      expected.peak_gflops, 0, 0, 0});
            ++failures;
            Error error = check_warned(Code::ProbeBusy, expected.title, "in use by others, not computed on",
                                       "nothing to do if that is meant",
                                       expected.in_use + " Its device nodes are usable.");
            if (!judgement.error || worse(error, *judgement.error))
                judgement.error = std::move(error);
            continue;
        }
        const GpuReport* const gpu = find_gpu(expectation, library, expected, taken);
        if (!gpu) continue;  // hidden by the container's own variable: judged by the count
        GpuResult result;
        result.title = expected.title;
        result.target = foreign_text(gpu->target, 24);
        result.peak_gflops = expected.peak_gflops;
        result.units = gpu->units;
        result.units_seen = gpu->units_seen;
        auto error = judge_gpu(
            {vendor, expected, expectation, library, report, *gpu, timed, result});
        result.outcome = error                   ? outcome_of(error->code)
                         : expectation.simulated ? Outcome::Simulated
                                                 : Outcome::Pass;
        judgement.gpus.push_back(std::move(result));
        if (!error) continue;
        ++failures;
        if (!judgement.error || worse(*error, *judgement.error)) judgement.error = std::move(error);
    }
    if (judgement.gpus.empty()) {
        judgement.error = check_failed(
            Code::ProbeDeviceCount, granted.front().title,
            std::string(vendor.soname) + " shows other GPUs", "check " + std::string(vendor.filter),
            "None of those that it counts has the address of a granted one. Library: " +
                foreign_text(library.path, 120) + ".");
        return;
    }
    if (failures > 1)
        judgement.error->remedy =
            std::to_string(failures) + " of " + std::to_string(judgement.gpus.size()) +
            " GPUs have such a finding, this is the worst. " + judgement.error->remedy;
    if (const std::string text = summary_of(judgement.gpus); !text.empty())
        judgement.summary += ", " + text;
}

}  // namespace gantry::probe
