// Which driver owns a major number, from /proc/devices, which is the kernel's
// own in every container and on every simulated host.
//
// A simulated host grants numbers that on this machine may belong to anything;
// opening a stranger's device can do harm (closing a watchdog reboots), and an
// ioctl even more. So a node is opened only if its major is its driver's or
// nobody's, and gets an ioctl only if it is its driver's.
#pragma once

#include <cstddef>

#include "probe/node_role.hpp"

namespace gantry::probe::inside {

enum class Owner {
    Unknown,   // /proc/devices cannot be read
    Nobody,
    Driver,    // that of the node's role
    Stranger,
};

class DriverMajors {
public:
    DriverMajors();
    explicit DriverMajors(const char* proc_devices);
    [[nodiscard]] Owner owner(NodeRole role, unsigned major) const;

private:
    char text_[16384];  // some 30 bytes for each of at most 512 majors
    bool readable_ = false;
};

}  // namespace gantry::probe::inside
