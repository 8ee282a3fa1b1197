// What NVIDIA's kernel module shows below /proc (open-gpu-kernel-modules,
// kernel-open/nvidia/nv-procfs.c), and the majors of /proc/devices.
#include <algorithm>
#include <cerrno>

#include "base/text.hpp"
#include "host/pci_address.hpp"
#include "host/readers.hpp"

namespace gantry::host {
namespace {

constexpr const char* kVersion = "/proc/driver/nvidia/version";
constexpr const char* kGpus = "/proc/driver/nvidia/gpus/";
constexpr std::size_t kMaxFileBytes = 64 * 1024;

bool is_version(std::string_view word) {
    if (word.find('.') == word.npos) return false;
    for (const std::string_view part : split(word, '.'))
        if (part.size() > 6 || !parse_decimal(part)) return false;
    return true;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Sat Feb …"
// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release …"
std::string find_version(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
        if (!line.starts_with("NVRM version:")) continue;
        for (const std::string_view word : split(line, ' '))
            if (is_version(word)) return std::string(word);
    }
    return {};
}

// Lines "Key: <tab or blanks> value". Drivers add and drop lines, so by key.
void parse_information(std::string_view text, NvidiaProcGpu& gpu) {
    bool any = false;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == line.npos) continue;
        const std::string_view key = trim(line.substr(0, colon));
        const std::string_view value = trim(line.substr(colon + 1));
        any = true;
        if (key == "Model") {
            gpu.model = printable(value);
        } else if (key == "GPU UUID") {
            gpu.uuid = printable(value);
        } else if (key == "Device Minor") {
            const auto minor = parse_decimal(value);
            if (minor && *minor < (1U << 20)) gpu.minor = static_cast<std::uint32_t>(*minor);
        } else if (key == "GPU Excluded" || key == "Blacklisted") {
            gpu.excluded = value == "Yes";
        }
    }
    if (!any) gpu.problem = kGpus + (gpu.address + "/information is empty");
}

NvidiaProcGpu read_gpu(const HostRoot& root, const std::string& folder) {
    NvidiaProcGpu gpu;
    gpu.address = to_lower(folder);
    const std::string path = kGpus + (folder + "/information");
    int error_number = 0;
    if (const auto text = root.read(path, &error_number, kMaxFileBytes)) {
        parse_information(*text, gpu);
    } else {
        gpu.problem = unreadable(path, error_number);
    }
    return gpu;
}

}  // namespace

void read_nvidia_proc(const HostRoot& root, HostFacts& facts) {
    int error_number = 0;
    if (const auto text = root.read(kVersion, &error_number, kMaxFileBytes)) {
        facts.nvidia_version = find_version(*text);
        if (facts.nvidia_version.empty())
            facts.problems.push_back(std::string(kVersion) + " names no driver version");
    } else if (error_number != ENOENT) {
        facts.problems.push_back(unreadable(kVersion, error_number));
    }
    for (const std::string& folder : root.list(kGpus))
        if (parse_pci_address(folder)) facts.nvidia_gpus.push_back(read_gpu(root, folder));
    std::sort(facts.nvidia_gpus.begin(), facts.nvidia_gpus.end(),
              [](const NvidiaProcGpu& a, const NvidiaProcGpu& b) {
                  return *parse_pci_address(a.address) < *parse_pci_address(b.address);
              });
}

void read_char_majors(const HostRoot& root, HostFacts& facts) {
    constexpr const char* kDevices = "/proc/devices";
    int error_number = 0;
    const auto text = root.read(kDevices, &error_number, kMaxFileBytes);
    if (!text) {
        if (error_number != ENOENT) facts.majors_problem = unreadable(kDevices, error_number);
        return;
    }
    bool in_section = false;
    for (const std::string_view line : split(*text, '\n')) {
        if (line == "Character devices:") {
            in_section = true;
        } else if (line == "Block devices:") {
            in_section = false;
        } else if (in_section) {
            const std::string_view content = trim(line);
            const std::size_t blank = content.find(' ');
            if (blank == content.npos) continue;
            const auto major = parse_decimal(content.substr(0, blank));
            if (major && *major <= UINT32_MAX)
                facts.char_majors.emplace(trim(content.substr(blank)),
                                          static_cast<std::uint32_t>(*major));
        }
    }
}

}  // namespace gantry::host
