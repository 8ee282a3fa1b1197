// NVIDIA's driver libraries and tools as read-only bind mounts. Each library is
// mounted under the names by which it is opened, in a folder that the image's
// loader searches by default: found without ldconfig ever being run.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "plan/driver_file_table.hpp"
#include "plan/steps.hpp"

namespace gantry::plan {
namespace {

constexpr const char* kMountOptions[] = {"bind", "ro", "nosuid", "nodev", "private"};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const host::DriverFile* find_library(const std::vector<host::DriverFile>& files,
                                     std::string_view stem) {
    for (const host::DriverFile& file : files) {
        const std::string_view name = base_name(file.host_path);
        if (name.starts_with(stem) && name.substr(stem.size()).starts_with(".so.")) return &file;
    }
    return nullptr;
}

const host::DriverFile* find_binary(const std::vector<host::DriverFile>& files,
                                    std::string_view name) {
    for (const host::DriverFile& file : files)
        if (base_name(file.host_path) == name) return &file;
    return nullptr;
}

// The soname links (libcuda.so.1) are what programs and other libraries open.
// A library without one is opened by its versioned name.
std::vector<std::string> opened_names(const host::DriverFile& file, bool plain_name) {
    const std::string_view own = base_name(file.host_path);
    std::vector<std::string> names;
    bool soname = false;
    for (const std::string& name : file.names) {
        if (name == own) continue;
        const bool plain = name.ends_with(".so");
        if (plain && !plain_name) continue;
        soname = soname || !plain;
        names.push_back(name);
    }
    if (!soname) names.emplace_back(own);
    return names;
}

// What another toolkit or CDI mounted stays. It makes the links to a library
// itself, by hooks that fail where one of our mounts is in their way: so a
// library that is there under any of its names is theirs as a whole.
class MountedNames {
public:
    explicit MountedNames(const oci::SpecView& spec) {
        for (const oci::SpecMount& mount : spec.mounts)
            names_.emplace(base_name(oci::clean_path(mount.destination)));
    }
    [[nodiscard]] bool has(std::string_view name) const {
        return names_.contains(std::string(name));
    }
    [[nodiscard]] bool has_library(std::string_view stem) const {
        const std::string plain = std::string(stem) + ".so";
        const auto versioned = names_.lower_bound(plain + ".");
        return names_.contains(plain) ||
               (versioned != names_.end() && versioned->starts_with(plain + "."));
    }

private:
    std::set<std::string> names_;
};

Error no_libcuda(const std::string& version) {
    if (version.empty())
        return {Code::DriverFilesMissing,
                "NVIDIA GPU: the version of the kernel module cannot be read",
                "Check /proc/driver/nvidia/version on the host; without it the libraries that "
                "match are not known"};
    return {Code::DriverFilesMissing,
            "NVIDIA GPU: no libcuda.so." + version +
                " on the host, as its kernel module needs",
            "Install the driver's user-space libraries of exactly version " + version};
}

}  // namespace

Status plan_driver_files(const Context& context, Plan& plan) {
    const inventory::Inventory& inventory = context.inventory;
    const MountedNames mounted(context.spec);
    if (!find_library(inventory.nvidia_libraries, "libcuda") && !mounted.has_library("libcuda"))
        return std::unexpected(no_libcuda(inventory.nvidia_version));

    const auto add = [&](const std::string& source, const std::string& folder,
                         const std::string& name, const std::string& reason) {
        plan.edits.mounts.push_back({source, folder + "/" + name,
                                     {std::begin(kMountOptions), std::end(kMountOptions)}, reason});
    };
    for (const DriverFileRow& row : driver_file_table()) {
        if (row.kind == FileKind::Library) {
            if (mounted.has_library(row.stem)) continue;
            if (const auto* file = find_library(inventory.nvidia_libraries, row.stem))
                for (const std::string& name : opened_names(*file, row.plain_name))
                    add(file->host_path, context.image.library_folder, name,
                        "driver library of version " + inventory.nvidia_version);
        } else if (const auto* file = find_binary(inventory.nvidia_binaries, row.stem);
                   file && !mounted.has(row.stem)) {
            add(file->host_path, "/usr/bin", std::string(row.stem), "tool of the NVIDIA driver");
        }
    }
    return {};
}

}  // namespace gantry::plan
