#include "inventory/gpu_peaks.hpp"

namespace gantry::inventory {
namespace {

struct Peak {
    std::string_view part;  // of the name
    double tflops;
};

// The makers' data sheets. AMD counts packed and dual issue. A name that holds
// another's comes before it.
constexpr Peak kPeaks[] = {
    {"MI355X", 157.3},     {"MI325X", 163.4},     {"MI300X", 163.4},      {"MI300A", 122.6},
    {"MI250X", 24},        {"MI210", 22.6},       {"RX 6700 XT", 13.2},   {"RX 7900 XTX", 61.4},
    {"RX 9070 XT", 48.7},
    {"H200", 66.9},        {"H100 PCIe", 51.2},   {"H100", 66.9},         {"B200", 75},
    {"A100", 19.5},        {"L40S", 91.6},        {"RTX 4090", 82.6},     {"RTX 5090", 104.8},
    {"Tesla T4", 8.1},     {"GT 1030", 1.1},
};

}  // namespace

double peak_gflops(std::string_view name) {
    for (const Peak& peak : kPeaks) {
        const std::size_t at = name.find(peak.part);
        if (at == std::string_view::npos) continue;
        // "RTX 4090" is not in "RTX 4090 D", "RTX 5090" not in "RTX 5090 Laptop GPU":
        // those are other GPUs.
        const std::string_view rest = name.substr(at + peak.part.size());
        const bool other = rest == " D" || rest.find("Laptop") != std::string_view::npos ||
                           rest.find(" MIG ") != std::string_view::npos;
        return other ? 0 : peak.tflops * 1000;
    }
    return 0;
}

}  // namespace gantry::inventory
