#include "probe/inside/dynamic/gpu_report.hpp"

#include "probe/inside/report_line.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe::inside {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Sixteen digits for each sum, without anything between them.
void write_hex(char* text, const RowSum* rows, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        for (int shift = 60; shift >= 0; shift -= 4) *text++ = kHex[(rows[i].dot >> shift) & 15];
    *text = '\0';
}

}  // namespace

void GpuReport::device(const char* pci, const char* target, unsigned units, const char* name) {
    ReportLine("device").text(vendor_).number(index_).text(pci).text(target).number(units)
        .text(name && *name ? name : "-").send(report_fd_);
}

void GpuReport::memory(unsigned long long free_bytes, unsigned long long total_bytes) {
    ReportLine("memory").text(vendor_).number(index_).number(static_cast<long long>(free_bytes))
        .number(static_cast<long long>(total_bytes)).send(report_fd_);
}

void GpuReport::busy(const char* why) {
    ReportLine("busy").text(vendor_).number(index_).text(why).send(report_fd_);
}

void GpuReport::stage(const char* name) {
    ReportLine("stage").text(name).text(vendor_).number(index_).send(report_fd_);
}

void GpuReport::failed(const char* call, long long code, const char* name) {
    ReportLine("failed").text(vendor_).text(call).number(code).text(name && *name ? name : "-")
        .number(index_).send(report_fd_);
}

void GpuReport::measure(unsigned round) {
    ReportLine("measure").text(vendor_).number(index_).number(round).send(report_fd_);
}

void GpuReport::product(unsigned round, unsigned count, std::uint64_t best_ns,
                        std::uint64_t median_ns) {
    ReportLine("product").text(vendor_).number(index_).number(round).number(count)
        .number(static_cast<long long>(best_ns)).number(static_cast<long long>(median_ns))
        .send(report_fd_);
}

void GpuReport::sums(unsigned round, const RowSum* rows, unsigned count) {
    std::uint64_t bad = 0;
    for (unsigned first = 0; first < count; first += kSumsPerLine) {
        const unsigned here = count - first < kSumsPerLine ? count - first : kSumsPerLine;
        for (unsigned i = 0; i < here; ++i) bad += rows[first + i].bad;
        char digits[kSumsPerLine * 16 + 1];
        write_hex(digits, rows + first, here);
        ReportLine("sums").text(vendor_).number(index_).number(round).number(first).text(digits)
            .send(report_fd_);
    }
    ReportLine("checked").text(vendor_).number(index_).number(round)
        .number(static_cast<long long>(bad)).send(report_fd_);
}

void GpuReport::evidence(const Evidence* groups, unsigned count) {
    unsigned units = 0, steady = 0;
    for (unsigned i = 0; i < count; ++i) {
        steady += groups[i].t1 >= groups[i].t0 && groups[i].c1 > groups[i].c0 ? 1 : 0;
        bool seen = false;
        for (unsigned j = 0; j < i && !seen; ++j) seen = groups[j].unit == groups[i].unit;
        units += seen ? 0 : 1;
    }
    ReportLine("evidence").text(vendor_).number(index_).number(units).number(steady).number(count)
        .send(report_fd_);
}

void GpuReport::done() { ReportLine("done").text(vendor_).number(index_).send(report_fd_); }

}  // namespace gantry::probe::inside
