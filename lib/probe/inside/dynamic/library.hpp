// A vendor library in the image: found, loaded, asked for its functions.
#pragma once

#include "probe/protocol.hpp"

namespace gantry::probe::inside {

class VendorLibrary {
public:
    VendorLibrary(int report_fd, const char* vendor) : report_fd_(report_fd), vendor_(vendor) {}

    // By name first, as the container's own process would find it; then in
    // `folders`, where a `*` stands for the rest of a name. Both lists end with
    // nullptr; of names that are there the first one counts. Reports `missing`
    // where it is nowhere to be had.
    [[nodiscard]] bool load(const char* const* names, const char* const* folders);
    [[nodiscard]] bool load(const char* soname, const char* const* folders) {
        const char* const names[] = {soname, nullptr};
        return load(names, folders);
    }

    // Reports `failed` with kNoSuchFunction where it is not there.
    template <class Function>
    [[nodiscard]] bool get(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(symbol(name));
        if (!function) report_failed(name, kNoSuchFunction, "");
        return function != nullptr;
    }
    template <class Function>
    void get_optional(Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(symbol(name));
    }

    // `library`, and `fake` where it is a test double; `function` is one of its own.
    void report_loaded(void* function);
    void report_failed(const char* call, long long code, const char* name);

private:
    [[nodiscard]] void* symbol(const char* name);
    bool try_load(const char* name);
    bool try_folder(const char* folder, const char* library);
    void keep_problem(const char* name, const char* text);

    int report_fd_;
    const char* vendor_;
    void* handle_ = nullptr;
    char problem_[512] = "";
};

}  // namespace gantry::probe::inside
