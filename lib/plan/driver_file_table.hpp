// Which files of NVIDIA's user-space driver belong to which capability.
#pragma once

#include <span>
#include <string_view>

namespace gantry::plan {

enum class FileKind { Library, Binary };

struct DriverFileRow {
    FileKind kind;
    std::string_view stem;  // "libcuda" for libcuda.so.535.161.07; "nvidia-smi"
    bool plain_name;        // also mounted as X.so: programs open it by that name
};

// compute and utility, as NVIDIA's own toolkit groups them.
[[nodiscard]] std::span<const DriverFileRow> driver_file_table();

}  // namespace gantry::plan
