// Expectations and reports as they look when all is well, to be spoilt by a test.
#pragma once

#include <string>

#include "probe/verdict.hpp"

namespace gantry::probe {

inline constexpr const char* kHsaPath = "/opt/rocm-6.4.1/lib/libhsa-runtime64.so.1.15.60401";
inline constexpr const char* kCudaPath = "/usr/lib64/libcuda.so.535.161.07";

inline Expectation amd_expectation(bool simulated = false) {
    Expectation expectation;
    expectation.simulated = simulated;
    expectation.nodes = {{NodeRole::AmdKfd, "/dev/kfd", 234, 0, ""},
                         {NodeRole::AmdRender, "/dev/dri/renderD128", 226, 128,
                          "AMD GPU 0 (RX 6700 XT)"}};
    expectation.amd = {{"AMD GPU 0 (RX 6700 XT)", "0000:03:00.0", 13200}};
    return expectation;
}

inline Expectation nvidia_expectation(bool simulated = false) {
    Expectation expectation;
    expectation.simulated = simulated;
    expectation.nodes = {{NodeRole::NvidiaControl, "/dev/nvidiactl", 195, 255, ""},
                         {NodeRole::NvidiaUvm, "/dev/nvidia-uvm", 510, 0, ""},
                         {NodeRole::NvidiaGpu, "/dev/nvidia0", 195, 0, "NVIDIA GPU 0 (T4)"}};
    expectation.nvidia = {{"NVIDIA GPU 0 (T4)", "0000:65:00.0", 8100}};
    return expectation;
}

inline std::string node_line(const ExpectedNode& node, int open_errno, int ioctl_errno,
                             const std::string& mode = "660") {
    return "node\t" + node.path + "\t" + std::to_string(node.major) + "\t" +
           std::to_string(node.minor) + "\t" + mode + "\t0\t105\t" + std::to_string(open_errno) +
           "\t" + std::to_string(ioctl_errno) + "\n";
}

// As far as the nodes, all of which open and answer.
inline std::string nodes_report(const Expectation& expectation) {
    std::string text = "begin\t2\nprocess\t1000\t1000\t44,105\n";
    for (const ExpectedNode& node : expectation.nodes) {
        const bool amd = node.role == NodeRole::AmdKfd || node.role == NodeRole::AmdRender;
        text += node_line(node, 0, amd ? 0 : -1);
    }
    return text + "stage\tstart the loader of the image\n";
}

inline std::string amd_library(unsigned count = 1) {
    return std::string("loader\tyes\nstage\tload libhsa-runtime64.so.1\nlibrary\tamd\t") +
           kHsaPath + "\nstage\thsa_init\ndevices\tamd\t" + std::to_string(count) + "\nend\n";
}

inline std::string nvidia_library(unsigned count = 1) {
    return std::string("loader\tyes\nstage\tload libcuda.so.1\nlibrary\tnvidia\t") + kCudaPath +
           "\nstage\tcuInit\ndevices\tnvidia\t" + std::to_string(count) + "\nend\n";
}

inline std::string amd_report(unsigned count = 1) {
    return nodes_report(amd_expectation()) + amd_library(count);
}

inline std::string nvidia_report(unsigned count = 1) {
    return nodes_report(nvidia_expectation()) + nvidia_library(count);
}

inline RunOutcome run_with(std::string report) {
    RunOutcome run;
    run.report_text = std::move(report);
    return run;
}

// `text` with the first `from` replaced by `to`; a test that finds no `from` is wrong.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

// The message of a verdict as it reaches a person.
inline std::string text_of(const Verdict& verdict) {
    return verdict.error ? verdict.error->text() : "";
}

}  // namespace gantry::probe
