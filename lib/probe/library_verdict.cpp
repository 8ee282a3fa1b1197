#include <cstdio>

#include "probe/diagnosis_table.hpp"
#include "probe/foreign_text.hpp"
#include "probe/judgement.hpp"
#include "probe/protocol.hpp"

namespace gantry::probe {
namespace {

constexpr Vendor kAmd = {
    Library::Hsa, "amd", "AMD", "libhsa-runtime64.so.1", true, "0x%llX", "ROCR_VISIBLE_DEVICES",
    "HSA_OVERRIDE_GFX_VERSION", "check image's ROCm against GPU",
    "the image's ROCm does not know the GPU, or device rules hide it."};
constexpr Vendor kNvidia = {
    Library::Cuda, "nvidia", "NVIDIA", "libcuda.so.1", false, "%lld", "CUDA_VISIBLE_DEVICES",
    "CUDA_VISIBLE_DEVICES", "check nvidia-smi on the host",
    "the driver lost a GPU (dmesg: Xid), or its MIG mode was changed."};

std::string code_text(const Vendor& vendor, std::int64_t code) {
    char text[32];
    std::snprintf(text, sizeof text, vendor.code_format, static_cast<long long>(code));
    return text;
}

std::string gpus(const Vendor& vendor, unsigned count) {
    return std::to_string(count) + " " + vendor.name + (count == 1 ? " GPU" : " GPUs");
}

const std::string* variable(const Report& report, std::string_view name) {
    for (const auto& [known, value] : report.variables)
        if (known == name) return &value;
    return nullptr;
}

std::string assignment(const Report& report, std::string_view name) {
    const std::string* const value = variable(report, name);
    return value ? std::string(name) + "=" + foreign_text(*value, 40) : "";
}

std::string set_text(const Report& report, std::string_view name) {
    const std::string set = assignment(report, name);
    return set.empty() ? "" : "The container sets " + set + ".";
}

std::string loaded_from(const LibraryReport& library) {
    return library.path.empty() ? "" : "Library: " + foreign_text(library.path, 120) + ".";
}

LibraryJudgement failure(Error error) { return {std::move(error), {}, {}}; }

LibraryJudgement judge_missing(const Vendor& vendor, const std::string& gpu,
                               const LibraryReport& library) {
    const std::string words = "The loader said: " + foreign_text(library.missing, 160) + ".";
    if (vendor.in_image)
        return {Error{Code::ProbeNoLibrary,
                      "GPU check incomplete: no " + std::string(vendor.soname) +
                          " in the image; use a ROCm image",
                      sentences({"The device nodes are usable; without ROCm's runtime nothing in "
                                 "the image can compute on them. A runtime that a program brings "
                                 "in its own folder is not found by this check.",
                                 words})},
                "the image has no " + std::string(vendor.soname),
                {}};
    return failure(check_failed(
        Code::ProbeLibraryMissing, gpu, std::string(vendor.soname) + " does not load",
        "check the driver files on the host",
        sentences({words, "Gantry injects it from the host's driver; the image needs a glibc that "
                          "it can run with."})));
}

LibraryJudgement judge_too_few(const Vendor& vendor, const std::string& gpu,
                               const LibraryReport& library,
                               unsigned expected, const Report& report) {
    std::string action = vendor.few_action;
    std::string cause = std::string(vendor.filter) + " is not set: ";
    if (const std::string set = assignment(report, vendor.filter); !set.empty()) {
        action = "correct " + std::string(vendor.filter);
        cause = "The container sets " + set + "; or ";
    }
    cause += vendor.few_cause;
    return failure(check_failed(Code::ProbeDeviceCount, gpu,
                                std::to_string(*library.devices) + " of " +
                                    gpus(vendor, expected) + " counted",
                                action, sentences({cause, loaded_from(library)})));
}

LibraryJudgement judge_library(const Vendor& vendor, const LibraryReport& library,
                               const std::vector<ExpectedGpu>& granted,
                               const Expectation& expectation, const Report& report,
                               const std::vector<TimedProducts>& timed) {
    const auto expected = static_cast<unsigned>(granted.size());
    const std::string gpu =
        name_gpus(expectation, vendor.library == Library::Hsa ? Whose::Amd : Whose::Nvidia);
    // A real library has no driver to talk to on a simulated host, so what it
    // answers there is no finding. The test double answers for a whole machine.
    const bool silent = expectation.simulated && !library.fake;
    if (library.fake && !expectation.simulated)
        return failure(check_failed(Code::ProbeLibraryFailed, gpu,
                                    std::string(vendor.soname) + " is a test double",
                                    "remove it from the image", loaded_from(library)));
    if (!library.missing.empty()) return judge_missing(vendor, gpu, library);
    const std::string path = foreign_text(library.path, 100);
    if (!library.failed.call.empty()) {
        if (!silent) return failure(judge_failed_call(vendor, gpu, library.failed, library, report));
        return {{}, path + " answers without a GPU as it must", {}};
    }
    if (!library.devices || library.path.empty())
        return failure(check_failed(Code::ProbeGarbled, gpu,
                                    "it reports nothing of " + std::string(vendor.soname),
                                    "see the engine's log", ""));
    LibraryJudgement judgement;
    judgement.summary = gpus(vendor, *library.devices) + " counted by " + path;
    if (*library.devices < expected && !silent) {
        // A container may use less than it was granted, and says so itself.
        const std::string chosen = assignment(report, vendor.filter);
        if (*library.devices == 0 || chosen.empty())
            return judge_too_few(vendor, gpu, library, expected, report);
        judgement.summary += " of " + std::to_string(expected) + " granted (" + chosen + ")";
    } else if (*library.devices > expected) {
        judgement.summary += ", more than the " + std::to_string(expected) +
                             " granted: the container is not kept from the others";
    }
    if (!silent && expectation.product.size > 0)
        judge_products(vendor, granted, expectation, library, report, timed, judgement);
    return judgement;
}

}  // namespace

Error judge_failed_call(const Vendor& vendor, const std::string& gpu, const FailedCall& failed,
                        const LibraryReport& library, const Report& report) {
    if (failed.code == kNoSuchFunction)
        return check_failed(
            Code::ProbeLibraryFailed, gpu, "library lacks " + foreign_text(failed.call, 24),
            "see what was loaded",
            sentences({loaded_from(library),
                       std::string("It is none of ") + vendor.name + "'s, or a very old one."}));
    if (failed.code == kNoCodeObject)
        return check_failed(
            Code::ProbeLibraryFailed, gpu, "no kernel for " + foreign_text(failed.name, 24),
            "use a newer Gantry, or ROCm 6.4",
            sentences({"The check has no code for the target that the library names, nor for one "
                       "of its family (those need ROCm 6.4 or newer).",
                       set_text(report, vendor.breaker), loaded_from(library)}));
    // AMD's other library has numbers of its own.
    const Library numbered =
        vendor.library == Library::Hsa && failed.call.starts_with("hip") ? Library::Hip
                                                                        : vendor.library;
    const Diagnosis* const known = find_diagnosis(numbered, failed.code, failed.call);
    const Code code = known ? known->error : Code::ProbeLibraryFailed;
    std::string what = foreign_text(failed.call, 24) + " said " +
                       (numbered == Library::Hip ? std::to_string(failed.code)
                                                 : code_text(vendor, failed.code));
    if (known) what += " (" + std::string(known->name) + ")";
    std::string cause = known ? std::string(known->cause) : "";
    if (!known && !failed.name.empty())
        cause = "The library calls it " + foreign_text(failed.name, 80) + ".";
    const std::string set = set_text(report, vendor.breaker);
    const bool proven = row_of(outcome_of(code)).refuses;
    return (proven ? check_failed : check_warned)(
        code, gpu, what, known ? std::string(known->action) : "see dmesg on the host",
        sentences({cause, set, loaded_from(library)}));
}

LibraryJudgement judge_amd(const Expectation& expectation, const Report& report,
                           const std::vector<TimedProducts>& timed) {
    return judge_library(kAmd, report.amd, expectation.amd, expectation, report, timed);
}

LibraryJudgement judge_nvidia(const Expectation& expectation, const Report& report,
                              const std::vector<TimedProducts>& timed) {
    return judge_library(kNvidia, report.nvidia, expectation.nvidia, expectation, report, timed);
}

LibraryJudgement judge_no_loader(const Report& report) {
    std::string cause = "The device nodes are usable, which is all that could be checked.";
    if (report.loader_errno != 0) cause += " exec: " + errno_text(report.loader_errno) + ".";
    return {Error{Code::ProbeNoLoader,
                  "GPU check incomplete: the image has no glibc loader; use a glibc image",
                  cause + " GPU libraries of both vendors need glibc (not musl, not an empty "
                          "image)."},
            "access level only, the image has no glibc loader",
            {}};
}

}  // namespace gantry::probe
