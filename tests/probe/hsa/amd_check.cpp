#include "amd_check.hpp"

#include <algorithm>
#include <filesystem>

#include "catch.hpp"

namespace gantry::probe {

bool AmdCheck::right() const {
    const auto is_right = [this](const TimedProducts& product) {
        const auto gpu = std::ranges::find(amd.gpus, product.index, &GpuReport::index);
        if (gpu == amd.gpus.end() || product.round >= gpu->rounds.size()) return false;
        const RoundReport& round = gpu->rounds[product.round];
        return round.bad == 0U && round.sums == product.expected;
    };
    return ended && !amd.gpus.empty() && !result.products.empty() &&
           std::ranges::all_of(amd.gpus, &GpuReport::done) &&
           std::ranges::all_of(result.products, is_right);
}

AmdCheck check_amd(ProbeRun run, const std::string& libraries, const std::string& orders) {
    run.environment = {"LD_LIBRARY_PATH=" + libraries, "GANTRY_FAKE_GPU=" + orders};
    AmdCheck check;
    check.result = run_probe(run);
    UNSCOPED_INFO(orders << "\n" << check.result.report);
    const auto report = parse_report(check.result.report);
    REQUIRE(report);
    check.amd = report->amd;
    check.ended = report->ended;
    return check;
}

AmdCheck check_amd(const std::string& libraries, const std::string& orders) {
    ProbeRun run;
    run.amd = 1;
    run.size = kSize;
    return check_amd(run, libraries, orders);
}

std::string installed(const char* soname) {
    for (const char* folder :
         {"/usr/lib/x86_64-linux-gnu/", "/lib64/", "/usr/lib64/", "/usr/lib/"}) {
        std::error_code error;
        const auto path = std::filesystem::canonical(folder + std::string(soname), error);
        if (!error) return path;
    }
    return "";
}

}  // namespace gantry::probe
