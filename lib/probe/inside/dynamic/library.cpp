#include "probe/inside/dynamic/library.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include "probe/inside/report_line.hpp"

// Since glibc 2.34 these live in libc.so.6 under that version. The old versions
// are still there, and alone are known to the images of before.
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");

namespace gantry::probe::inside {

bool VendorLibrary::try_load(const char* name) {
    send_stage(report_fd_, "load ", name);
    handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle_) keep_problem(name, ::dlerror());
    return handle_ != nullptr;
}

// That a library is there and lacks another one tells more than that it is not
// there: glibc's and musl's loaders begin their words with what they could not open.
void VendorLibrary::keep_problem(const char* name, const char* text) {
    if (!text) text = name;
    const bool not_there = std::strncmp(text, name, std::strlen(name)) == 0 &&
                           std::strstr(text, "No such file") != nullptr;
    if (not_there && problem_[0] != '\0') return;
    // The precision says that cutting is meant.
    std::snprintf(problem_, sizeof problem_, "%.500s", text);
}

// "/opt/rocm*/lib": of the folders that fit, the last in the order of bytes,
// which is the newest version as long as versions have as many digits.
bool VendorLibrary::try_folder(const char* folder, const char* library) {
    char path[PATH_MAX];
    const char* const star = std::strchr(folder, '*');
    if (!star) {
        std::snprintf(path, sizeof path, "%s/%s", folder, library);
        return ::access(path, F_OK) == 0 && try_load(path);
    }

    char parent[256];
    std::snprintf(parent, sizeof parent, "%.*s", static_cast<int>(star - folder), folder);
    char* const prefix = std::strrchr(parent, '/') + 1;
    char name[256];
    std::snprintf(name, sizeof name, "%s", prefix);
    *prefix = '\0';

    char best[PATH_MAX] = "";
    DIR* const entries = ::opendir(parent);
    if (!entries) return false;
    while (const dirent* const entry = ::readdir(entries)) {
        if (std::strncmp(entry->d_name, name, std::strlen(name)) != 0) continue;
        std::snprintf(path, sizeof path, "%s%s%s/%s", parent, entry->d_name, star + 1, library);
        if (std::strcmp(path, best) > 0 && ::access(path, F_OK) == 0)
            std::snprintf(best, sizeof best, "%s", path);
    }
    ::closedir(entries);
    return best[0] != '\0' && try_load(best);
}

bool VendorLibrary::load(const char* const* names, const char* const* folders) {
    for (const char* const* name = names; *name; ++name)
        if (try_load(*name)) return true;
    for (; *folders; ++folders)
        for (const char* const* name = names; *name; ++name)
            if (try_folder(*folders, *name)) return true;
    ReportLine("missing").text(vendor_).text(problem_).send(report_fd_);
    return false;
}

void* VendorLibrary::symbol(const char* name) { return ::dlsym(handle_, name); }

void VendorLibrary::report_loaded(void* function) {
    Dl_info where = {};
    char real[PATH_MAX] = "unknown";
    if (::dladdr(function, &where) != 0 && where.dli_fname && !::realpath(where.dli_fname, real))
        std::snprintf(real, sizeof real, "%s", where.dli_fname);
    ReportLine("library").text(vendor_).text(real).send(report_fd_);
    if (symbol("gantry_fake_gpu_library")) ReportLine("fake").text(vendor_).send(report_fd_);
}

void VendorLibrary::report_failed(const char* call, long long code, const char* name) {
    ReportLine("failed")
        .text(vendor_)
        .text(call)
        .number(code)
        .text(name && *name ? name : "-")
        .send(report_fd_);
}

}  // namespace gantry::probe::inside
