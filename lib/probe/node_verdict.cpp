#include <cerrno>
#include <cstring>

#include "probe/foreign_text.hpp"
#include "probe/judgement.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe {
namespace {

// In a user namespace an owner without a mapping shows as this (kernel,
// Documentation: overflowuid), so it is no group that could be added.
constexpr std::uint32_t kOverflowId = 65534;

struct Finding {
    std::string cause, action, details;
};

enum class Driver { Any, Amd, Nvidia, NvidiaUvm };

Driver driver_of(NodeRole role) {
    switch (role) {
        case NodeRole::AmdKfd:
        case NodeRole::AmdRender: return Driver::Amd;
        case NodeRole::NvidiaUvm: return Driver::NvidiaUvm;
        case NodeRole::NvidiaControl:
        case NodeRole::NvidiaGpu: break;
    }
    return Driver::Nvidia;
}

struct OpenFailure {
    int error_number;
    Driver driver;
    const char *cause, *action, *details;
};

// EACCES and EPERM name numbers of the node and have their own functions.
constexpr OpenFailure kOpenFailures[] = {
    {ENOENT, Driver::Any, "is missing", "remove the mount over it in /dev",
     "Gantry put the node into the container's spec; a tmpfs or volume over /dev, or a later "
     "edit of the spec, hides it."},
    {ENXIO, Driver::Amd, "has no driver behind it (ENXIO)", "modprobe amdgpu on the host",
     "The kernel has no such driver at this number: amdgpu is not loaded, was reloaded, or "
     "the GPU was taken from it (vfio)."},
    {ENXIO, Driver::Nvidia, "has no driver behind it (ENXIO)", "modprobe nvidia on the host",
     "The kernel has no such driver at this number: the nvidia module is not loaded."},
    {ENXIO, Driver::NvidiaUvm, "has no driver behind it (ENXIO)", "modprobe nvidia-uvm on the host",
     "The kernel has no such driver at this number: nvidia-uvm is not loaded, or was loaded "
     "again under another number."},
    {ENODEV, Driver::Any, "has no device behind it (ENODEV)", "see dmesg on the host",
     "The driver is there, its GPU is not: unplugged, unbound, or lost in a reset."},
    {EBUSY, Driver::Any, "is busy (EBUSY)", "stop what holds it, or wait for its reset",
     "Another process holds the GPU exclusively, or the driver is resetting it."},
    {EIO, Driver::Nvidia, "answers EIO", "see dmesg for NVRM and Xid on the host",
     "The driver could not initialise the GPU: it may have fallen off the bus, or kernel "
     "module and firmware differ."},
    {EIO, Driver::Any, "answers EIO", "see dmesg on the host",
     "The driver could not reach the GPU."},
    {ELOOP, Driver::Any, "is a chain of links (ELOOP)", "remove that link from the image",
     "The path must lead to the device node."},
};

std::string number(std::uint32_t major, std::uint32_t minor) {
    return std::to_string(major) + ":" + std::to_string(minor);
}

std::string errno_name(int error_number) {
    const char* const name = ::strerrorname_np(error_number);
    return name ? name : "errno " + std::to_string(error_number);
}

// What path_resolution(7) grants for reading and writing, capabilities aside.
bool mode_allows(const NodeReport& node, const ProcessReport& process) {
    if (process.uid == node.uid) return (node.mode & 0600) == 0600;
    bool in_group = process.gid == node.gid;
    for (const std::uint32_t group : process.groups) in_group = in_group || group == node.gid;
    const std::uint32_t wanted = in_group ? 0060 : 0006;
    return (node.mode & wanted) == wanted;
}

Finding refused_by_mode(const NodeReport& node, const ProcessReport& process) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(node.mode));
    const std::string group = std::to_string(node.gid);
    std::string details = "The node has mode " + std::string(mode) + ", owner " +
                          std::to_string(node.uid) + ", group " + group +
                          "; the process runs as " + std::to_string(process.uid) + ":" +
                          std::to_string(process.gid) + ".";
    if ((node.mode & 0060) != 0060)
        return {"refuses its group (EACCES)", "chmod 0660 it on the host (udev rule)", details};
    if (node.gid == kOverflowId)
        return {"has a group not mapped here (EACCES)", "map it (podman: keep-groups)",
                details + " The user namespace has no mapping for the node's real group."};
    return {"refuses this user (EACCES)", "add group " + group + " (--group-add " + group + ")",
            details + " Kubernetes: supplementalGroups [" + group +
                "]; rootless Podman: --group-add keep-groups with crun."};
}

Finding access_refused(const NodeReport& node, const Report& report) {
    if (node.mode == 0)
        return {"cannot be reached (EACCES)", "give its folder mode 0755",
                "A folder on the way to the node may not be searched by the container's user."};
    if (node.nodev) {
        const std::string folder = node.path.substr(0, node.path.rfind('/'));
        return {"is on a nodev mount (EACCES)", "drop --tmpfs/-v over " + short_path(folder, 20),
                "Something is mounted there with the option nodev, so that no device node on it "
                "opens; Docker gives it to every --tmpfs."};
    }
    if (report.process && !mode_allows(node, *report.process))
        return refused_by_mode(node, *report.process);
    return {"is denied by SELinux/LSM (EACCES)", "setsebool container_use_devices 1",
            "Its mode and groups allow this process, so a security module refuses: see the "
            "host's audit log; for one container --security-opt label=disable (SELinux) or "
            "apparmor=unconfined."};
}

Finding not_permitted(const NodeReport& node) {
    const std::string rule = "c " + number(node.major, node.minor) + " rw";
    return {"is refused by device rules (EPERM)", "allow '" + rule + "'",
            "The container's device cgroup lacks the rule. It is lost when something rewrites "
            "it after the start (systemctl daemon-reload with the nvidia hook, an update of "
            "the container); recreate the container."};
}

Finding open_failed(const ExpectedNode& expected, const NodeReport& node, const Report& report) {
    if (node.open_errno == EACCES) return access_refused(node, report);
    if (node.open_errno == EPERM) return not_permitted(node);
    const Driver driver = driver_of(expected.role);
    for (const OpenFailure& row : kOpenFailures)
        if (row.error_number == node.open_errno &&
            (row.driver == Driver::Any || row.driver == driver))
            return {row.cause, row.action, row.details};
    return {"does not open (" + errno_name(node.open_errno) + ")", "see dmesg on the host",
            "open: " + errno_text(node.open_errno) + "."};
}

Finding ioctl_failed(const NodeReport& node) {
    if (node.ioctl_errno == EPERM || node.ioctl_errno == EACCES || node.ioctl_errno == ENOSYS)
        return {"opens, ioctl is refused (" + errno_name(node.ioctl_errno) + ")",
                "allow ioctl in seccomp or LSM",
                "The node opened, so mode, groups and device rules are right; a seccomp profile "
                "or security module refuses the driver's version call."};
    return {"opens, but its driver fails (" + errno_name(node.ioctl_errno) + ")",
            "see dmesg on the host",
            "The driver's version call answered: " + errno_text(node.ioctl_errno) + "."};
}

// Is the node usable? On a simulated host no driver need stand behind it.
std::optional<Finding> examine(const ExpectedNode& expected, const NodeReport& node,
                               const Expectation& expectation, const Report& report) {
    const bool there = node.major != 0 || node.minor != 0;
    if (!there && node.open_errno == 0)
        return Finding{"is no device node", "remove what the image puts there",
                       "A file or folder stands where the device node belongs."};
    if (there && (node.major != expected.major || node.minor != expected.minor))
        return Finding{"is " + number(node.major, node.minor) + ", not " +
                           number(expected.major, expected.minor),
                       "remove that device entry",
                       "Another device was put at the path after Gantry's plan."};

    if (expectation.simulated) {
        if (node.open_errno != 0 && node.open_errno != ENXIO)
            return open_failed(expected, node, report);
        if (node.ioctl_errno > 0 && node.ioctl_errno != ENXIO && node.ioctl_errno != ENOTTY)
            return ioctl_failed(node);
        return std::nullopt;
    }

    if (node.open_errno != 0) return open_failed(expected, node, report);
    if (node.ioctl_errno > 0) return ioctl_failed(node);
    if (node.ioctl_errno < 0 && driver_of(expected.role) == Driver::Amd)
        return Finding{"opens, but not as amdgpu's", "modprobe amdgpu on the host",
                       "/proc/devices does not list its number " +
                           number(node.major, node.minor) +
                           " for the driver, so its version call was not made."};
    return std::nullopt;
}

const NodeReport* find(const Report& report, const std::string& path) {
    std::string sent = path;
    for (char& c : sent) c = line_char(c);
    for (const NodeReport& node : report.nodes)
        if (node.path == sent) return &node;
    return nullptr;
}

}  // namespace

std::optional<Error> judge_nodes(const Expectation& expectation, const Report& report) {
    const ExpectedNode* first = nullptr;
    Finding finding;
    unsigned more = 0;
    for (const ExpectedNode& expected : expectation.nodes) {
        const NodeReport* const node = find(report, expected.path);
        if (!node) continue;  // names_all_nodes() tells
        std::optional<Finding> found = examine(expected, *node, expectation, report);
        if (!found) continue;
        if (first) {
            ++more;
            continue;
        }
        first = &expected;
        finding = std::move(*found);
    }
    if (!first) return std::nullopt;
    std::string what = short_path(first->path, 28) + " " + finding.cause;
    if (more != 0) what += " and " + std::to_string(more) + " more";
    // A control node is of all GPUs of its vendor.
    const bool amd = driver_of(first->role) == Driver::Amd;
    const std::string gpu =
        first->gpu.empty() ? name_gpus(expectation, amd ? Whose::Amd : Whose::Nvidia) : first->gpu;
    return check_failed(Code::ProbeAccess, gpu, what, finding.action, finding.details);
}

bool names_all_nodes(const Expectation& expectation, const Report& report) {
    for (const ExpectedNode& expected : expectation.nodes)
        if (!find(report, expected.path)) return false;
    return true;
}

}  // namespace gantry::probe
