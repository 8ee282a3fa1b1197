// The input is what a check in a container wrote to its pipe.
#include <cstdint>
#include <cstdlib>

#include "probe/report.hpp"

using namespace gantry::probe;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto report = parse_report(text);
    // A line without its end is not believed, whatever it is.
    const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 is 0
    const auto again = parse_report(text.substr(0, whole));
    require(report.has_value() == again.has_value());
    if (!report) return 0;
    require(report->began == again->began && report->ended == again->ended);
    require(report->began || !report->ended);
    require(report->nodes.size() == again->nodes.size());
    // Nothing of a report grows by more than what was sent.
    std::size_t entries = report->nodes.size() + report->variables.size() + report->notes.size();
    for (const LibraryReport* library : {&report->amd, &report->nvidia})
        for (const GpuReport& gpu : library->gpus) {
            ++entries;
            for (const RoundReport& round : gpu.rounds) entries += round.sums.size();
        }
    require(entries <= size);
    return 0;
}
