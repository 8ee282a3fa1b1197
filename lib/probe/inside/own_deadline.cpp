#include "probe/inside/own_deadline.hpp"

#include <signal.h>
#include <unistd.h>

namespace gantry::probe::inside {
namespace {

constexpr int kExitStatus = 124;  // as timeout(1)

extern "C" void leave(int) { ::_exit(kExitStatus); }

}  // namespace

void end_by_own_deadline(unsigned further) {
    ::signal(SIGALRM, leave);
    ::alarm(kOwnDeadlineSeconds + further);
}

}  // namespace gantry::probe::inside
