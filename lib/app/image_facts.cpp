#include "app/image_facts.hpp"

#include <unistd.h>
#include <sys/stat.h>

#include <string_view>

#include "sys/rootfs.hpp"

namespace gantry::app {
namespace {

// The loader's default folders, by distribution family: Debian's multiarch
// folder, then lib64 (Fedora, SUSE), then lib (Arch, musl).
#if defined(__aarch64__)
constexpr const char* kLibraryFolders[] = {"/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"};
#else
constexpr const char* kLibraryFolders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"};
#endif

// Where ROCm's runtime or, up to 6.2, its thunk is: the string is in one of them.
constexpr const char* kRocmLibraries[] = {
    "/opt/rocm/lib/libhsa-runtime64.so.1", "/opt/rocm/lib/libhsakmt.so.1",
    "/usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1", "/usr/lib/x86_64-linux-gnu/libhsakmt.so.1",
    "/usr/lib64/libhsa-runtime64.so.1"};
// The thunk's format string for the per-node variable (libhsakmt
// src/topology.c, ROCm 6.3 and newer).
constexpr std::string_view kPerNodeFormat = "HSA_OVERRIDE_GFX_VERSION_%d";
constexpr off_t kMaxLibraryBytes = off_t{64} << 20;

bool contains(int fd, std::string_view needle) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || status.st_size <= 0 || status.st_size > kMaxLibraryBytes)
        return false;
    const auto size = static_cast<std::size_t>(status.st_size);
    // Read in pieces rather than mapped: a file that shrinks under a mapping
    // would kill this process.
    std::string window;
    std::string piece(std::size_t{1} << 20, '\0');
    for (std::size_t done = 0; done < size;) {
        const ssize_t n = ::pread(fd, piece.data(), piece.size(), static_cast<off_t>(done));
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
        window.append(piece, 0, static_cast<std::size_t>(n));
        if (window.find(needle) != std::string::npos) return true;
        window.erase(0, window.size() - std::min(window.size(), needle.size()));
    }
    return false;
}

}  // namespace

plan::ImageFacts read_image_facts(const std::string& rootfs, const request::Request& request) {
    plan::ImageFacts facts;
    const auto root = sys::Rootfs::open(rootfs);
    if (!root) return facts;
    if (request.nvidia.source != request::Source::None)
        for (const char* folder : kLibraryFolders)
            if (root->is_folder(folder)) {
                facts.library_folder = folder;
                break;
            }
    if (request.amd.source != request::Source::None)
        for (const char* path : kRocmLibraries)
            if (const UniqueFd file = root->open_file(path); file && contains(file.get(), kPerNodeFormat))
                facts.per_node_override = true;
    return facts;
}

}  // namespace gantry::app
