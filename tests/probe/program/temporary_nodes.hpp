// A folder with device nodes made for one test.
#pragma once

#include <string>

#include <sys/types.h>

namespace gantry::probe {

class TemporaryNodes {
public:
    TemporaryNodes();
    ~TemporaryNodes();
    TemporaryNodes(const TemporaryNodes&) = delete;
    TemporaryNodes& operator=(const TemporaryNodes&) = delete;

    [[nodiscard]] const std::string& folder() const { return folder_; }
    // ROLE:MAJOR:MINOR:PATH of a character device made with that mode, empty
    // where this user may not make one.
    [[nodiscard]] std::string make(const std::string& role, const std::string& name,
                                   unsigned major, unsigned minor, mode_t mode);

private:
    std::string folder_;
};

// Can nodes be made here, and does opening them reach the kernel's drivers
// (the file system may be mounted nodev)? Empty if so, else why not.
[[nodiscard]] std::string why_no_nodes();

// A major number that no driver of this machine has.
[[nodiscard]] unsigned unowned_major();

}  // namespace gantry::probe
