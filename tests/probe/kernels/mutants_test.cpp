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

// What rowdot has to make of a C that is full of what a product cannot be, at sizes
// where a work-item has no element of a row, one, and one or two.
class RowdotJudge {
public:
    explicit RowdotJudge(std::uint32_t n) : device_(n) {
        const float wrong[] = {std::nanf(""), INFINITY, -INFINITY, 0.5f, -0.25f, 16777218.0f,
                               -16777218.0f, 16777216.0f, -16777216.0f};
        for (std::uint32_t i = 0; i < n * n; ++i)
            device_.c[i] = static_cast<float>(elem(i, 1) * 4099 + elem(i, 2));
        for (unsigned i = 0; i < std::size(wrong); ++i)
            device_.c[(20 + i) * n + 37 * i % n] = wrong[i];  // one in a row
        for (std::uint32_t j = 0; j < n; ++j) device_.c[40 * n + j] = wrong[0];  // nothing else
        for (std::uint32_t j = 0; j < n; ++j)
            if (elem(j, 3) > 0) device_.c[41 * n + j] = wrong[j % std::size(wrong)];
        for (std::uint32_t i = 0; i < n; ++i)
            right_.push_back(plain_rowdot(device_.c + i * n, n, kSeeds.r));
    }

    std::string verdict(const ptx_module& module) {
        std::string fault = device_.rowdot(interpreted(module, device_, kMostSteps), kSeeds.r);
        for (std::uint32_t i = 0; i < device_.n && fault.empty(); ++i)
            if (device_.rows[i].dot != right_[i].dot || device_.rows[i].bad != right_[i].bad)
                fault = "wrong sums";
        return fault;
    }

private:
    Device device_;
    std::vector<RowSum> right_;
};

// One thread's device, and the kernels that are right.
class Judge {
public:
    Judge() : good_(gantry_ptx), device_(kSize), launch_(interpreted(*good_.module, device_, 0)) {
        device_.check(launch_, kSeeds);
    }

    // Empty: the outcome is taken for right.
    std::string verdict(const std::string& kernel, const char* text) {
        const Loaded loaded(text);
        if (!loaded.module) return loaded.log;
        const Launch launch = interpreted(*loaded.module, device_, kMostSteps);
        if (kernel == "gantry_rowdot") {
            std::string fault;
            for (RowdotJudge& rowdot : rowdot_)
                if (fault.empty()) fault = rowdot.verdict(*loaded.module);
            return fault;
        }
        return kernel == "gantry_fill" ? of_fill(launch) : of_product(launch);
    }

private:
    std::string of_fill(const Launch& launch) {
        // As on a GPU: what was in memory before is not what fill has to make.
        std::fill(device_.a, device_.b + kSize * kSize, 0.5f);
        std::string fault = device_.fill(launch, kSeeds);
        if (fault.empty()) fault = of_product(launch_);
        std::fill(device_.a, device_.a + 512, 0.5f);
        std::uint32_t count = 300, seed = kSeeds.a;
        if (fault.empty()) fault = launch("gantry_fill", 2, 1, {&device_.a, &count, &seed});
        if (fault.empty() && std::count(device_.a, device_.a + 512, 0.5f) != 212)
            fault = "filled more or less than it was asked to";
        device_.fill(launch_, kSeeds);
        return fault;
    }

    std::string of_product(const Launch& launch) {
        std::string fault = device_.poison(launch_);
        if (fault.empty()) fault = device_.product(launch);
        if (fault.empty()) fault = device_.rowdot(launch_, kSeeds.r);
        if (fault.empty() && bad_rows(device_, expected_) != 0) fault = "wrong rows";
        return fault;
    }

    Loaded good_;
    Device device_;
    Launch launch_;
    RowdotJudge rowdot_[3] = {RowdotJudge(128), RowdotJudge(256), RowdotJudge(384)};
    std::vector<std::uint64_t> expected_ = expected_dots(kSize, kSeeds);
};

std::vector<std::string> judge_all(const std::vector<Mutant>& mutants) {
    std::vector<std::string> verdicts(mutants.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        Judge judge;
        for (std::size_t i; (i = next++) < mutants.size();) 
            verdicts[i] = judge.verdict(mutants[i].kernel, mutants[i].text.c_str());
    };
    std::thread other(work);
    work();
    other.join();
    return verdicts;
}

// Each takes four times as long with sanitizers.
#ifdef __SANITIZE_ADDRESS__
constexpr unsigned kMutants = 60;
#else
constexpr unsigned kMutants = 200;
#endif

// More of them by GANTRY_MUTANTS, with another seed by GANTRY_SEED.
unsigned from_environment(const char* name, unsigned otherwise) {
    const char* value = std::getenv(name);
    return value ? static_cast<unsigned>(std::atoi(value)) : otherwise;
}

}  // namespace

TEST_CASE("mutants of the embedded PTX are caught, all but equivalent ones") {
    const std::vector<std::string> kernels = {"gantry_fill", "gantry_sgemm", "gantry_rowdot"};
    for (const std::string& kernel : kernels) REQUIRE(Judge().verdict(kernel, gantry_ptx) == "");
    const std::vector<Mutant> mutants =
        make_mutants(gantry_ptx, kernels, from_environment("GANTRY_MUTANTS", kMutants), from_environment("GANTRY_SEED", 1));
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
    CHECK(caught + equivalent == mutants.size());
    CHECK(caught >= 50);
}

}  // namespace gantry::probe::test
