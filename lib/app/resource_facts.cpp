#include "app/resource_facts.hpp"

#include <sys/resource.h>
#include <sys/vfs.h>

namespace gantry::app {
namespace {

// <linux/magic.h>; that header and <sys/vfs.h> are all this needs.
constexpr long kTmpfsMagic = 0x01021994;

}  // namespace

plan::ResourceFacts read_resource_facts(const oci::SpecView& spec) {
    plan::ResourceFacts facts;
    // Engines bind a tmpfs of their own there for containers that share one
    // (Podman, the CRI, docker --ipc=shareable); --ipc=host is the host's.
    const oci::SpecMount* shm = plan::shm_mount(spec);
    struct statfs status {};
    if (shm && shm->is_bind() && shm->source.starts_with('/') &&
        ::statfs(shm->source.c_str(), &status) == 0 && status.f_type == kTmpfsMagic)
        facts.bound_shm_bytes = static_cast<std::uint64_t>(status.f_blocks) *
                                static_cast<std::uint64_t>(status.f_bsize);
    struct rlimit limit {};
    if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0) facts.inherited_memlock = limit.rlim_cur;
    return facts;
}

}  // namespace gantry::app
