#include "plan/warnings.hpp"

#include <limits>

#include "base/text.hpp"
#include "request/cri.hpp"

namespace gantry::plan {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
// What every engine gives where nobody asks for more (Podman: 64000 KiB). Worker
// processes of a data loader pass tensors through it, NCCL and RCCL some MiB for
// each pair of ranks; when it is full a write ends in SIGBUS.
constexpr std::uint64_t kSmallShm = 64 * kMiB;
// The kernel's default is 8 MiB (64 KiB before 5.16), and a process with
// InfiniBand pins its buffers. Not exact: nobody who raises it stops below.
constexpr std::uint64_t kLowMemlock = 1024 * kMiB;

// tmpfs(5): bytes with k, m or g behind them; a percentage is of the memory and
// never small.
std::optional<std::uint64_t> tmpfs_size(const oci::SpecMount& mount) {
    std::optional<std::uint64_t> size;
    for (const std::string& option : mount.options) {
        if (!option.starts_with("size=")) continue;
        std::string_view text = std::string_view(option).substr(5);
        size.reset();
        unsigned shift = 0;
        if (!text.empty()) {
            switch (text.back()) {
                case 'k': case 'K': shift = 10; break;
                case 'm': case 'M': shift = 20; break;
                case 'g': case 'G': shift = 30; break;
                default: break;
            }
            if (shift != 0) text.remove_suffix(1);
        }
        const auto number = parse_decimal(text);
        if (number && *number <= (std::numeric_limits<std::uint64_t>::max() >> shift))
            size = *number << shift;
    }
    return size;
}

std::string size_text(std::uint64_t bytes) {
    if (bytes >= kMiB) return std::to_string(bytes / kMiB) + " MiB";
    return std::to_string(bytes >> 10) + " KiB";
}

// CAP_IPC_LOCK lifts the limit, but only in the first user namespace
// (can_do_mlock() and user_shm_lock() in the kernel's mm/mlock.c).
bool may_lock_all(const oci::SpecView& spec) {
    if (spec.find_namespace("user")) return false;
    for (const std::string& capability : spec.bounding_capabilities)
        if (capability == "CAP_IPC_LOCK") return true;
    return false;
}

std::optional<std::uint64_t> memlock_limit(const oci::SpecView& spec, const ResourceFacts& facts) {
    std::optional<std::uint64_t> limit = facts.inherited_memlock;
    for (const oci::SpecRlimit& entry : spec.rlimits)
        if (entry.type == "RLIMIT_MEMLOCK") limit = entry.soft;
    return limit;
}

}  // namespace

const oci::SpecMount* shm_mount(const oci::SpecView& spec) {
    const oci::SpecMount* last = nullptr;
    for (const oci::SpecMount& mount : spec.mounts)
        if (oci::clean_path(mount.destination) == "/dev/shm") last = &mount;
    return last;
}

std::vector<std::string> resource_warnings(const oci::SpecView& spec, const ResourceFacts& facts,
                                           const WarningSwitches& switches, bool amd,
                                           bool nvidia) {
    std::vector<std::string> warnings;
    if (!amd && !nvidia) return warnings;
    const bool kubernetes = request::read_cri(spec).role != request::CriRole::None;
    const std::string library = amd && nvidia ? "NCCL and RCCL" : amd ? "RCCL" : "NCCL";
    if (const oci::SpecMount* mount = switches.shm ? shm_mount(spec) : nullptr) {
        const auto size = mount->is_bind() ? facts.bound_shm_bytes : tmpfs_size(*mount);
        if (size && *size > 0 && *size <= kSmallShm)
            warnings.push_back(
                "/dev/shm has only " + size_text(*size) + ": data loaders and " + library +
                " end with a bus error when it is full; " +
                (kubernetes ? "mount an emptyDir with medium: Memory at /dev/shm"
                            : "add --shm-size=8g or --ipc=host"));
    }
    if (!switches.memlock || may_lock_all(spec)) return warnings;
    const auto memlock = memlock_limit(spec, facts);
    if (memlock && *memlock < kLowMemlock)
        warnings.push_back(
            "the limit of locked memory is only " + size_text(*memlock) + ": " + library +
            " over InfiniBand and large pinned buffers fail; " +
            (kubernetes ? "set LimitMEMLOCK=infinity in the engine's systemd unit"
                        : "add --ulimit memlock=-1"));
    return warnings;
}

}  // namespace gantry::plan
