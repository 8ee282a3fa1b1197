#include "probe/inside/dynamic/parallel.hpp"

#include <pthread.h>

#include "probe/inside/dynamic/task.hpp"

// In libpthread of before glibc 2.34 under this version, still known to the later ones.
__asm__(".symver pthread_create, pthread_create@GLIBC_2.2.5");
__asm__(".symver pthread_join, pthread_join@GLIBC_2.2.5");

namespace gantry::probe::inside {
namespace {

struct Step {
    void (*call)(void*, unsigned);
    void* context;
    unsigned index;
};

void* run_step(void* argument) {
    const auto* const step = static_cast<const Step*>(argument);
    step->call(step->context, step->index);
    return nullptr;
}

}  // namespace

void in_parallel(unsigned count, void (*step)(void* context, unsigned index), void* context) {
    if (count == 1) return step(context, 0);
    Step steps[kMaxGpus];
    pthread_t threads[kMaxGpus];
    bool started[kMaxGpus] = {};
    for (unsigned i = 0; i < count && i < kMaxGpus; ++i) {
        steps[i] = {step, context, i};
        started[i] = ::pthread_create(&threads[i], nullptr, run_step, &steps[i]) == 0;
        if (!started[i]) step(context, i);
    }
    for (unsigned i = 0; i < count && i < kMaxGpus; ++i)
        if (started[i]) ::pthread_join(threads[i], nullptr);
}

}  // namespace gantry::probe::inside
