#include <algorithm>
#include <array>
#include <cstdio>

#include "inventory/inventory.hpp"

namespace gantry::inventory {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kGap = 2;

using Row = std::array<std::string, 5>;
constexpr std::array<const char*, 5> kHeads = {"GPU", "NAME", "PCI ADDRESS", "TARGET", "MEMORY"};

const char* vendor_word(const Gpu& gpu) { return gpu.vendor == Vendor::Amd ? "AMD" : "NVIDIA"; }

std::string memory_text(const Gpu& gpu) {
    if (!gpu.memory_bytes) return "-";
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(*gpu.memory_bytes) / kGib);
    return text;
}

std::string target_text(const Gpu& gpu) {
    if (gpu.gfx) return gpu.gfx->target();
    return gpu.kfd_node ? "unknown" : "-";
}

Row row_of(const Gpu& gpu) {
    return {std::string(vendor_word(gpu)) + " " + std::to_string(gpu.index), gpu.name,
            gpu.pci_address.empty() ? "-" : gpu.pci_address, target_text(gpu), memory_text(gpu)};
}

// `parts` set one after the other in lines of kColumns, all indented; a part is
// never broken.
std::string flow(const std::vector<std::string>& parts, std::size_t indent,
                 const char* separator) {
    std::string text(indent, ' ');
    std::size_t column = indent;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part = parts[i] + (i + 1 < parts.size() ? separator : "");
        if (column > indent && column + 1 + part.size() > kColumns) {
            text += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            text += ' ';
            ++column;
        }
        text += part;
        column += part.size();
    }
    return text + "\n";
}

std::string flow_words(const std::string& sentence, std::size_t indent) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= sentence.size();) {
        const std::size_t end = std::min(sentence.find(' ', begin), sentence.size());
        words.push_back(sentence.substr(begin, end - begin));
        begin = end + 1;
    }
    return flow(words, indent, "");
}

std::vector<std::string> details(const Gpu& gpu) {
    std::vector<std::string> parts;
    if (gpu.kfd_node) parts.push_back("KFD node " + std::to_string(*gpu.kfd_node));
    if (const host::DeviceNode* render = gpu.render_node())
        parts.push_back("render minor " + std::to_string(render->minor));
    if (gpu.partition) parts.push_back("partition " + std::to_string(*gpu.partition));
    if (gpu.integrated) parts.push_back("integrated");
    for (const host::DeviceNode& node : gpu.nodes) parts.push_back(node.path);
    if (!gpu.unique_id.empty())
        parts.push_back(gpu.vendor == Vendor::Amd ? "unique id 0x" + gpu.unique_id
                                                  : gpu.unique_id);
    return parts;
}

std::string render_rows(const std::vector<Gpu>& gpus) {
    std::array<std::size_t, kHeads.size()> widths{};
    std::vector<Row> rows;
    for (std::size_t i = 0; i < kHeads.size(); ++i) widths[i] = std::string(kHeads[i]).size();
    for (const Gpu& gpu : gpus) {
        rows.push_back(row_of(gpu));
        for (std::size_t i = 0; i < kHeads.size(); ++i)
            widths[i] = std::max(widths[i], rows.back()[i].size());
    }
    const auto line = [&](const auto& cells) {
        std::string text;
        for (std::size_t i = 0; i < kHeads.size(); ++i) {
            const std::string cell = cells[i];
            text += cell;
            if (i + 1 < kHeads.size()) text += std::string(widths[i] + kGap - cell.size(), ' ');
        }
        return text + "\n";
    };
    std::string text = line(kHeads);
    const std::size_t indent = widths[0] + kGap;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        text += line(rows[i]);
        const auto parts = details(gpus[i]);
        if (!parts.empty()) text += flow(parts, indent, ",");
        if (!gpus[i].unusable.empty())
            text += flow_words("not usable: " + gpus[i].unusable, indent);
    }
    return text;
}

}  // namespace

std::string render_table(const Inventory& inventory) {
    std::string text;
    if (inventory.simulated) text += "Simulated host: nothing below is hardware.\n\n";
    const bool amd = !inventory.of(Vendor::Amd).empty();
    const bool nvidia = !inventory.of(Vendor::Nvidia).empty();
    text += amd || nvidia ? render_rows(inventory.gpus) : "No AMD or NVIDIA GPU found.\n";
    if (amd || nvidia) text += "\n";
    if (amd)
        text += "AMD driver: amdgpu " +
                (inventory.amdgpu_version.empty() ? std::string("of the kernel")
                                                  : inventory.amdgpu_version) +
                "\n";
    if (nvidia)
        text += "NVIDIA driver: " +
                (inventory.nvidia_version.empty() ? std::string("version unknown")
                                                  : inventory.nvidia_version) +
                " (" + std::to_string(inventory.nvidia_libraries.size()) + " libraries and " +
                std::to_string(inventory.nvidia_binaries.size()) + " programs of it found)\n";
    if (amd)
        text += flow_words("AMD_VISIBLE_DEVICES counts by the index in the first column (PCI "
                           "order). KFD nodes and render minors are the kernel's own numbers for "
                           "the same GPU.",
                           0);
    if (!inventory.notices.empty()) text += "\nNotices:\n";
    for (const std::string& notice : inventory.notices) text += flow_words(notice, 2);
    return text;
}

}  // namespace gantry::inventory
