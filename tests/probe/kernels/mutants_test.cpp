// The check sees a wrong kernel: one instruction of the embedded PTX is changed, and
// the judge must not take the outcome for right. What it does take must be
// equivalent, and is listed with the reason.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "catch.hpp"
#include "probe/kernels/check_run.hpp"
#include "probe/kernels/embedded.hpp"
#include "probe/kernels/equivalent_mutants.hpp"
#include "probe/kernels/mutation.hpp"

namespace gantry::probe::test {
namespace {

// Four groups, so that a wrong group number shows.
constexpr std::uint32_t kSize = 256;
// A group needs 160 thousand.
constexpr std::uint64_t kMostSteps = 1'000'000;

struct Loaded {
    explicit Loaded(const char* text) : module(ptx_load(text, log, sizeof log)) {}
    ~Loaded() {
        if (module) ptx_unload(module);
    }
    Loaded(const Loaded&) = delete;
    char log[256] = "";
    ptx_module* module;
};

// One thread's device, and what is right on it.
class Judge {
public:
    Judge() : good_(gantry_ptx), device_(kSize), launch_(interpreted(*good_.module, device_, 0)) {
        device_.check(launch_, kSeeds);
        c_.assign(device_.c, device_.c + kSize * kSize);
        spoilt_ = c_;
        const float wrong[] = {std::nanf(""), INFINITY, -INFINITY, 0.5f, -0.25f, 16777218.0f,
                               -16777218.0f, 16777216.0f, -16777216.0f};
        for (unsigned i = 0; i < std::size(wrong); ++i) {
            spoilt_[(20 + i) * kSize + 37 * i % kSize] = wrong[i];  // one in a row
            spoilt_[19 * kSize + 17 * i] = wrong[i];                // all in one row
        }
    }

    bool good() const { return bad_rows(device_, expected_) == 0; }

    // Empty: the mutant's outcome is taken for right.
    std::string verdict(const Mutant& mutant) {
        const Loaded loaded(mutant.text.c_str());
        if (!loaded.module) return loaded.log;
        const Launch launch = interpreted(*loaded.module, device_, kMostSteps);
        if (mutant.kernel == "gantry_rowdot") return of_rowdot(launch);
        const bool of_fill = mutant.kernel == "gantry_fill";
        // As on a GPU: what was in memory before is not what fill has to make.
        if (of_fill) std::fill(device_.a, device_.b + kSize * kSize, std::nanf(""));
        std::string fault = of_fill ? device_.fill(launch, kSeeds) : "";
        if (fault.empty()) fault = device_.poison(launch_);
        if (fault.empty()) fault = device_.product(of_fill ? launch_ : launch);
        if (fault.empty()) fault = device_.rowdot(launch_, kSeeds.r);
        if (fault.empty() && !good()) fault = "wrong rows";
        if (of_fill) device_.fill(launch_, kSeeds);
        return fault;
    }

private:
    std::string of_rowdot(const Launch& launch) {
        for (const std::vector<float>* c : {&c_, &spoilt_}) {
            std::memcpy(device_.c, c->data(), c->size() * sizeof(float));
            if (std::string fault = device_.rowdot(launch, kSeeds.r); !fault.empty()) return fault;
            for (std::uint32_t i = 0; i < kSize; ++i) {
                const RowSum want = plain_rowdot(device_.c + i * kSize, kSize, kSeeds.r);
                if (device_.rows[i].dot != want.dot || device_.rows[i].bad != want.bad)
                    return "wrong sums";
            }
        }
        return "";
    }

    Loaded good_;
    Device device_;
    Launch launch_;
    std::vector<float> c_, spoilt_;
    std::vector<std::uint64_t> expected_ = expected_dots(kSize, kSeeds);
};

std::vector<std::string> judge_all(const std::vector<Mutant>& mutants) {
    std::vector<std::string> verdicts(mutants.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        Judge judge;
        for (std::size_t i; (i = next++) < mutants.size();) verdicts[i] = judge.verdict(mutants[i]);
    };
    std::thread other(work);
    work();
    other.join();
    return verdicts;
}

// More of them by GANTRY_MUTANTS, with another seed by GANTRY_SEED.
unsigned from_environment(const char* name, unsigned otherwise) {
    const char* value = std::getenv(name);
    return value ? static_cast<unsigned>(std::atoi(value)) : otherwise;
}

}  // namespace

TEST_CASE("mutants of the embedded PTX are caught, all but equivalent ones") {
    REQUIRE(Judge().good());
    const std::vector<Mutant> mutants =
        make_mutants(gantry_ptx, {"gantry_fill", "gantry_sgemm", "gantry_rowdot"},
                     from_environment("GANTRY_MUTANTS", 200), from_environment("GANTRY_SEED", 1));
    const std::vector<std::string> verdicts = judge_all(mutants);
    unsigned caught = 0, equivalent = 0;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        const Mutant& mutant = mutants[i];
        if (!verdicts[i].empty()) {
            ++caught;
        } else if (const char* why = why_equivalent(mutant)) {
            ++equivalent;
            UNSCOPED_INFO(mutant.kernel << ": " << mutant.before << " -> " << mutant.after << ": "
                                        << why);
        } else {
            FAIL_CHECK(mutant.kernel << ": not caught: " << mutant.before << " -> "
                                     << (mutant.after.empty() ? "(left out)" : mutant.after));
        }
    }
    WARN(caught << " of " << mutants.size() << " mutants caught, " << equivalent
                << " are equivalent");
    CHECK(caught >= 50);
}

}  // namespace gantry::probe::test
