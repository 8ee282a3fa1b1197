// The steps of judge(), one concern each. Internal to the verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/diagnosis_table.hpp"
#include "probe/report.hpp"
#include "probe/verdict.hpp"

namespace gantry::probe {

// Engines show the beginning of an error and some cut it there, so the GPU, the
// verdict and what to do stand in the first 120 bytes: the headline is
// "GPU check failed: GPU: WHAT; ACTION", and all else follows it. `gpu` is its
// whole title, or empty; the headline takes what there is room for, the details
// name it where the headline does not name it whole.
[[nodiscard]] Error check_failed(Code code, const std::string& gpu, const std::string& what,
                                 const std::string& action, const std::string& details);
// The same for what is no proof of anything broken: "GPU check: GPU: WHAT; ACTION".
[[nodiscard]] Error check_warned(Code code, const std::string& gpu, const std::string& what,
                                 const std::string& action, const std::string& details);
inline constexpr std::size_t kHeadlineBytes = 120;

// The granted GPUs of these roles: "AMD GPU 0 (RX 6700 XT) and 7 more".
enum class Whose { Amd, Nvidia, All };
[[nodiscard]] std::string name_gpus(const Expectation& expectation, Whose whose);

// "Sentence one. Sentence two." from those that are not empty.
[[nodiscard]] std::string sentences(const std::vector<std::string>& parts);

// Are the granted nodes there and usable? nullopt: they are, or as far as a
// simulated host lets them.
[[nodiscard]] std::optional<Error> judge_nodes(const Expectation& expectation,
                                               const Report& report);
[[nodiscard]] bool names_all_nodes(const Expectation& expectation, const Report& report);

// A check that began and did not end: hung, stuck or crashed.
[[nodiscard]] std::optional<Error> judge_ending(const Expectation& expectation,
                                                const RunOutcome& run, const Report& report);

// 512 GFLOP/s, 41.2 TFLOP/s
[[nodiscard]] std::string rate_text(double gflops);

// Somebody ended Gantry meanwhile.
[[nodiscard]] Error judge_interrupted(const RunOutcome& run);

// Nothing came back at all: what the low-level runtime said.
[[nodiscard]] Error judge_no_begin(const RunOutcome& run);

struct LibraryJudgement {
    std::optional<Error> error;       // the worst finding
    std::string summary;              // "2 AMD GPUs counted by /opt/rocm/…"
    std::vector<GpuResult> gpus;
};

// What differs between the vendors, as data.
struct Vendor {
    Library library;
    const char* word;            // in the report
    const char* name;            // in "AMD GPU"
    const char* soname;
    bool in_image;               // the image must bring the library; else it is injected
    const char* code_format;     // as the vendor's header writes its codes
    const char* filter;          // variable that hides GPUs from the library
    const char* breaker;         // variable that makes its calls fail
    const char *few_action, *few_cause;  // fewer GPUs than granted, no filter set
};

// A call that the library, or one GPU of it, refused.
[[nodiscard]] Error judge_failed_call(const Vendor& vendor, const std::string& gpu,
                                      const FailedCall& failed, const LibraryReport& library,
                                      const Report& report);

// The computing, GPU by GPU: adds to `judgement.gpus`, and the worst error of all
// where there is one, with the number of GPUs that it stands for.
void judge_products(const Vendor& vendor, const std::vector<ExpectedGpu>& granted,
                    const Expectation& expectation, const LibraryReport& library,
                    const Report& report, const std::vector<TimedProducts>& timed,
                    LibraryJudgement& judgement);

[[nodiscard]] LibraryJudgement judge_amd(const Expectation& expectation, const Report& report,
                                         const std::vector<TimedProducts>& timed);
[[nodiscard]] LibraryJudgement judge_nvidia(const Expectation& expectation, const Report& report,
                                            const std::vector<TimedProducts>& timed);
// The image cannot run the dynamic part, so no library was tried.
[[nodiscard]] LibraryJudgement judge_no_loader(const Report& report);

}  // namespace gantry::probe
