#include "app/probe_view.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "probe/judgement.hpp"

namespace gantry::app {
namespace {

std::string rate(double gflops) { return gflops > 0 ? probe::rate_text(gflops) : "-"; }

std::string share(const probe::GpuResult& gpu) {
    return gpu.peak_gflops > 0 && gpu.judged_gflops > 0
               ? fmt::format("{:.0f} %", 100 * gpu.judged_gflops / gpu.peak_gflops)
               : "-";
}

}  // namespace

std::string render_stage(const ProbeStage& stage) {
    return fmt::format("{:8.3f} s  {:<9} {}\n", static_cast<double>(stage.at.count()) / 1000,
                       stage.gpu, stage.name);
}

std::string render_answer(const ProbeAnswer& answer) {
    std::string text;
    if (!answer.verdict.gpus.empty())
        text += fmt::format("\n{:<30} {:<9} {:>13} {:>13} {:>8}  {}\n", "GPU", "TARGET", "BEST",
                            "MEDIAN", "OF PEAK", "VERDICT");
    for (const probe::GpuResult& gpu : answer.verdict.gpus)
        text += fmt::format("{:<30} {:<9} {:>13} {:>13} {:>8}  {}\n", gpu.title,
                            gpu.target.empty() ? "-" : gpu.target, rate(gpu.best_gflops),
                            rate(gpu.median_gflops), share(gpu), to_string(gpu.outcome));
    text += fmt::format("\n{} on {}, {:.3f} s: {}\n", to_string(answer.verdict.outcome),
                        answer.where, static_cast<double>(answer.time.count()) / 1000,
                        answer.verdict.summary);
    if (answer.verdict.error) text += answer.verdict.error->text() + "\n";
    return text;
}

std::string render_answer_json(const ProbeAnswer& answer) {
    using nlohmann::ordered_json;
    const probe::Verdict& verdict = answer.verdict;
    ordered_json gpus = ordered_json::array(), stages = ordered_json::array();
    for (const probe::GpuResult& gpu : verdict.gpus)
        gpus.push_back({{"gpu", gpu.title},
                        {"target", gpu.target},
                        {"verdict", to_string(gpu.outcome)},
                        {"bestGflops", gpu.best_gflops},
                        {"medianGflops", gpu.median_gflops},
                        {"judgedGflops", gpu.judged_gflops},
                        {"peakGflops", gpu.peak_gflops},
                        {"processorSeconds", gpu.processor_seconds},
                        {"units", gpu.units},
                        {"unitsSeen", gpu.units_seen}});
    for (const ProbeStage& stage : answer.stages)
        stages.push_back(
            {{"atMs", stage.at.count()}, {"gpu", stage.gpu}, {"stage", stage.name}});
    ordered_json all = {{"where", answer.where},
                        {"verdict", to_string(verdict.outcome)},
                        {"summary", verdict.summary},
                        {"error", verdict.error ? ordered_json(verdict.error->text())
                                                : ordered_json(nullptr)},
                        {"timeMs", answer.time.count()},
                        {"gpus", gpus},
                        {"stages", stages}};
    return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gantry::app
