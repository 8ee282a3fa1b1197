#include "probe/inside/dynamic/rocm_folders.hpp"

#include <cstdio>
#include <cstdlib>

namespace gantry::probe::inside {
namespace {

// ROCm's own packages are in the loader's cache only where their post-install
// script ran; ollama's images carry ROCm in a folder of their own.
constexpr const char* kFolders[] = {"/opt/rocm/lib", "/opt/rocm*/lib", "/usr/lib/ollama/rocm",
                                    "/usr/local/lib/ollama/rocm"};

// Packages for Python carry a private copy: AMD's rocm-sdk, and torch before it.
constexpr const char* kPackages[] = {"_rocm_sdk_core/lib", "torch/lib"};
constexpr const char* kPythonPaths[] = {
    "/usr/local/lib/python3*/site-packages", "/usr/local/lib/python3*/dist-packages",
    "/usr/lib/python3/dist-packages",        "/usr/lib/python3*/site-packages",
    "/usr/lib64/python3*/site-packages",     "/opt/venv/lib/python3*/site-packages",
    "/opt/conda/lib/python3*/site-packages"};
// Where these variables name a folder, its Python is the one that is used.
constexpr const char* kPrefixVariables[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};

template <class T, unsigned kCount>
constexpr unsigned count_of(const T (&)[kCount]) {
    return kCount;
}

constexpr unsigned kMost =
    count_of(kFolders) +
    count_of(kPackages) * (count_of(kPythonPaths) + count_of(kPrefixVariables)) + 1;

}  // namespace

const char* const* rocm_folders() {
    static char texts[kMost][256];
    static const char* list[kMost];
    unsigned count = 0;
    for (const char* const folder : kFolders) list[count++] = folder;
    const auto add = [&](const char* path, const char* tail, const char* package) {
        const int size =
            std::snprintf(texts[count], sizeof texts[count], "%s%s/%s", path, tail, package);
        if (size < 0 || static_cast<unsigned>(size) >= sizeof texts[count]) return;
        list[count] = texts[count];
        ++count;
    };
    for (const char* const variable : kPrefixVariables)
        if (const char* const prefix = std::getenv(variable); prefix && prefix[0] == '/')
            for (const char* const package : kPackages)
                add(prefix, "/lib/python3*/site-packages", package);
    for (const char* const path : kPythonPaths)
        for (const char* const package : kPackages) add(path, "", package);
    list[count] = nullptr;
    return list;
}

}  // namespace gantry::probe::inside
