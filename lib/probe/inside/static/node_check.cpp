#include "probe/inside/static/node_check.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe/inside/report_line.hpp"

namespace gantry::probe::inside {
namespace {

// include/uapi/linux/kfd_ioctl.h: struct kfd_ioctl_get_version_args
struct KfdVersion {
    std::uint32_t major, minor;
};
constexpr unsigned long kKfdGetVersion = _IOR('K', 0x01, KfdVersion);

// include/uapi/drm/drm.h: struct drm_version
struct DrmVersion {
    int major, minor, patch;
    std::size_t name_size;
    char* name;
    std::size_t date_size;
    char* date;
    std::size_t description_size;
    char* description;
};
constexpr unsigned long kDrmVersion = _IOWR('d', 0x00, DrmVersion);

// Both only read a version. NVIDIA's nodes have no ioctl that means the same in
// every driver version; opening one already initialises the GPU.
int ask_version(NodeRole role, int fd) {
    if (role == NodeRole::AmdKfd) {
        KfdVersion version = {};
        return ::ioctl(fd, kKfdGetVersion, &version) < 0 ? errno : 0;
    }
    if (role == NodeRole::AmdRender) {
        DrmVersion version = {};
        return ::ioctl(fd, kDrmVersion, &version) < 0 ? errno : 0;
    }
    return -1;
}

struct Findings {
    unsigned major = 0, minor = 0;
    struct stat status = {};
    int open_errno = 0;
    int ioctl_errno = -1;
};

bool is_expected(const struct stat& status, const NodeArgument& node) {
    return S_ISCHR(status.st_mode) && major(status.st_rdev) == node.major &&
           minor(status.st_rdev) == node.minor;
}

void open_node(int report_fd, const NodeArgument& node, Owner owner, Findings& found) {
    if (owner == Owner::Stranger) {
        // What the driver that is meant would answer: it is not behind this number.
        found.open_errno = ENXIO;
        send_note(report_fd, "not opened, its number is another driver's: ", node.path);
        return;
    }
    send_stage(report_fd, "open ", node.path);
    const int fd = ::open(node.path, O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        found.open_errno = errno;
        return;
    }
    // What was opened must be what was looked at before an ioctl goes to it.
    struct stat opened = {};
    if (owner == Owner::Driver && ::fstat(fd, &opened) == 0 && is_expected(opened, node)) {
        send_stage(report_fd, "ask the driver of ", node.path);
        found.ioctl_errno = ask_version(node.role, fd);
    }
    // Closing can wait for the driver as well.
    send_stage(report_fd, "close ", node.path);
    ::close(fd);
}

}  // namespace

void check_node(int report_fd, const NodeArgument& node, const DriverMajors& majors) {
    Findings found;
    if (::stat(node.path, &found.status) < 0) {
        found.open_errno = errno;
    } else if (S_ISCHR(found.status.st_mode)) {
        found.major = major(found.status.st_rdev);
        found.minor = minor(found.status.st_rdev);
        if (is_expected(found.status, node))
            open_node(report_fd, node, majors.owner(node.role, node.major), found);
    }
    ReportLine("node")
        .text(node.path)
        .number(found.major)
        .number(found.minor)
        .octal(found.status.st_mode & 07777)
        .number(found.status.st_uid)
        .number(found.status.st_gid)
        .number(found.open_errno)
        .number(found.ioctl_errno)
        .send(report_fd);
    // There no device node opens, whatever its mode (kernel, fs/namei.c, may_open_dev).
    struct statvfs place = {};
    if (found.open_errno == EACCES && ::statvfs(node.path, &place) == 0 &&
        (place.f_flag & ST_NODEV) != 0)
        ReportLine("nodev").text(node.path).send(report_fd);
}

}  // namespace gantry::probe::inside
