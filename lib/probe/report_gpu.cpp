#include "probe/kernels/gemm_data.hpp"
#include "probe/protocol.hpp"
#include "probe/report_rules.hpp"

namespace gantry::probe {
namespace {

constexpr unsigned kMaxGpuIndex = 255;
constexpr unsigned kMaxRounds = 4096;

bool on_device(Report& report, const Fields& f) {
    GpuReport* const gpu = gpu_of(report, f[1], f[2]);
    if (!gpu || !take_text(f[3], gpu->pci) || !take_text(f[4], gpu->target) ||
        !take(f[5], gpu->units))
        return false;
    if (f[6] != "-") gpu->name = f[6];
    return true;
}

bool on_memory(Report& report, const Fields& f) {
    GpuReport* const gpu = gpu_of(report, f[1], f[2]);
    return gpu && gpu->total_bytes == 0 && take(f[3], gpu->free_bytes) &&
           take(f[4], gpu->total_bytes);
}

bool on_busy(Report& report, const Fields& f) {
    GpuReport* const gpu = gpu_of(report, f[1], f[2]);
    return gpu && take_text(f[3], gpu->busy);
}

// Rounds come one after another, so the last one is the one that a line is of.
RoundReport* round_of(GpuReport* gpu, std::string_view text) {
    unsigned round = 0;
    if (!gpu || !take(text, round) || gpu->rounds.size() != round + std::size_t{1}) return nullptr;
    return &gpu->rounds.back();
}

bool on_measure(Report& report, const Fields& f) {
    GpuReport* const gpu = gpu_of(report, f[1], f[2]);
    unsigned round = 0;
    if (!gpu || !take(f[3], round) || round != gpu->rounds.size() || round >= kMaxRounds)
        return false;
    return gpu->rounds.emplace_back().measuring = true;
}

bool on_product(Report& report, const Fields& f) {
    RoundReport* const round = round_of(gpu_of(report, f[1], f[2]), f[3]);
    return round && round->products == 0 && take(f[4], round->products) && round->products > 0 &&
           take(f[5], round->best_ns) && take(f[6], round->median_ns);
}

bool take_sums(std::string_view digits, std::vector<std::uint64_t>& sums) {
    constexpr std::size_t kDigits = 16;
    if (digits.empty() || digits.size() % kDigits != 0 || digits.size() / kDigits > kSumsPerLine)
        return false;
    for (std::size_t at = 0; at < digits.size(); ++at) {
        const char c = digits[at];
        const int value = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : -1;
        if (value < 0) return false;
        if (at % kDigits == 0) sums.push_back(0);
        sums.back() = sums.back() << 4 | static_cast<std::uint64_t>(value);
    }
    return sums.size() <= kMaxSize;
}

bool on_sums(Report& report, const Fields& f) {
    RoundReport* const round = round_of(gpu_of(report, f[1], f[2]), f[3]);
    std::size_t first = 0;
    return round && round->products > 0 && !round->bad && take(f[4], first) &&
           first == round->sums.size() && take_sums(f[5], round->sums);
}

bool on_checked(Report& report, const Fields& f) {
    RoundReport* const round = round_of(gpu_of(report, f[1], f[2]), f[3]);
    std::uint64_t bad = 0;
    if (!round || round->sums.empty() || round->bad || !take(f[4], bad)) return false;
    round->bad = bad;
    return true;
}

bool on_evidence(Report& report, const Fields& f) {
    GpuReport* const gpu = gpu_of(report, f[1], f[2]);
    return gpu && gpu->groups == 0 && take(f[3], gpu->units_seen) &&
           take(f[4], gpu->steady_groups) && take(f[5], gpu->groups) && gpu->groups > 0;
}

bool on_done(Report& report, const Fields& f) {
    GpuReport* const gpu = gpu_of(report, f[1], f[2]);
    if (!gpu || gpu->done) return false;
    return gpu->done = true;
}

constexpr LineRule kRules[] = {
    {"device", 7, 7, on_device},   {"memory", 5, 5, on_memory}, {"busy", 4, 4, on_busy},
    {"measure", 4, 4, on_measure}, {"product", 7, 7, on_product}, {"sums", 6, 6, on_sums},
    {"checked", 5, 5, on_checked}, {"evidence", 6, 6, on_evidence}, {"done", 3, 3, on_done},
};

}  // namespace

std::span<const LineRule> gpu_line_rules() { return kRules; }

LibraryReport* library_of(Report& report, std::string_view vendor) {
    if (vendor == "amd") return &report.amd;
    if (vendor == "nvidia") return &report.nvidia;
    return nullptr;
}

GpuReport* gpu_of(Report& report, std::string_view vendor, std::string_view index) {
    LibraryReport* const library = library_of(report, vendor);
    unsigned number = 0;
    if (!library || !take(index, number) || number > kMaxGpuIndex) return nullptr;
    for (GpuReport& gpu : library->gpus)
        if (gpu.index == number) return &gpu;
    library->gpus.emplace_back().index = number;
    return &library->gpus.back();
}

bool take_failed(const Fields& f, FailedCall& failed) {
    if (!take_text(f[2], failed.call)) return false;
    if (f[4] != "-") failed.name = f[4];
    return take_signed(f[3], failed.code);
}

}  // namespace gantry::probe
