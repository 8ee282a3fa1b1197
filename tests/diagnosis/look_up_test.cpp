#include "diagnosis/look_up.hpp"

#include "base/text.hpp"
#include "catch.hpp"

using namespace gantry;
using namespace gantry::diagnosis;

namespace {

// "GTY-204", a title, "CUDA 999": what a query led to, in order.
std::vector<std::string> found(std::string_view query) {
    const Findings findings = look_up(query);
    std::vector<std::string> names;
    for (const auto* status : findings.statuses) names.push_back(status_number(*status));
    for (const auto* row : findings.explanations)
        names.push_back(row->code ? to_string(*row->code) : std::string(row->title));
    return names;
}

bool finds(std::string_view query, std::string_view name) {
    for (const std::string& each : found(query))
        if (each == name) return true;
    return false;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a code is found however it is written") {
    for (const char* query : {"GTY-204", "gty-204", "204", " Gty-204\n", "gty204", "GTY_204"}) {
        CAPTURE(query);
        CHECK(found(query) == Names{"GTY-204"});
    }
    for (const Explanation& row : explanations()) {
        if (!row.code) continue;
        CHECK(found(to_string(*row.code)) == Names{to_string(*row.code)});
    }
}

TEST_CASE("an unknown code leads to those near it") {
    for (const char* query : {"GTY-208", "299", "gty-199", "000", "999"}) {
        CAPTURE(query);
        const Findings findings = look_up(query);
        CHECK_FALSE(findings.found());
        for (const auto* row : findings.near)
            CHECK(to_string(*row->code)[4] == (query[0] == 'G' || query[0] == 'g' ? query[4] : query[0]));
    }
    CHECK(look_up("GTY-208").near.front()->code == Code::MixedOverride);
    CHECK(look_up("GTY-208").near.size() <= 5);
    CHECK(look_up("999").near.empty());
}

TEST_CASE("status codes of the vendors' libraries are found by number and name") {
    CHECK(finds("hsa 0x1008", "HSA 0x1008"));
    CHECK(found("HSA 4104") == found("hsa 0x1008"));
    CHECK(found("cuda 999") == Names{"CUDA 999"});
    CHECK(found("CUDA 0x3e7") == Names{"CUDA 999"});
    CHECK(finds("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "CUDA 803"));
    CHECK(finds("cuInit said CUDA_ERROR_UNKNOWN here", "CUDA 999"));
    CHECK(finds("HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed", "HSA 0x1008"));
    CHECK_FALSE(finds("HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed", "HSA 0x1000"));
    CHECK(finds("HSA_STATUS_ERROR", "HSA 0x1000"));
    CHECK_FALSE(look_up("cuda 12345").found());
    CHECK(look_up("cuda 12345").near.front()->code == Code::ProbeLibraryFailed);
    for (const probe::Diagnosis& status : probe::diagnosis_table()) {
        CAPTURE(status.name);
        for (const std::string& name : found(status_number(status)))
            CHECK(name == status_number(status));
        CHECK(finds(status_number(status), status_number(status)));
        CHECK(finds(status_name(status), status_number(status)));
    }
}

TEST_CASE("literal errors of frameworks lead to their causes") {
    const std::pair<const char*, const char*> cases[] = {
        {"AssertionError: Torch not compiled with CUDA enabled", "program built without GPU support"},
        {"torch NOT  compiled\nwith cuda", "program built without GPU support"},
        {"RuntimeError: No HIP GPUs are available", "no GPU in the container"},
        {"RuntimeError: No HIP GPUs are available", "GTY-401"},
        {"RuntimeError: No HIP GPUs are available", "GTY-206"},
        {"CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing "
         "env variable CUDA_VISIBLE_DEVICES after program start.", "CUDA 999"},
        {"CUDA unknown error - this may be due to an incorrectly set up environment", "GTY-403"},
        {"Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate",
         "HSA 0x1008"},
        {"\"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!\"",
         "image has no code for this GPU"},
        {"CUDA error: no kernel image is available for execution on the device",
         "image has no code for this GPU"},
        {"rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat: No such file "
         "or directory for GPU arch : gfx1031", "image has no code for this GPU"},
        {"Failed to initialize NVML: Unknown Error", "GPU lost while the container runs"},
        {"Failed to initialize NVML: Driver/library version mismatch", "GTY-303"},
        {"ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
         "GTY-303"},
        {"RuntimeError: DataLoader worker (pid 2841) is killed by signal: Bus error.",
         "shared memory too small"},
        {"include/shm.h:28 NCCL WARN Call to posix_fallocate failed : No space left on device",
         "shared memory too small"},
        {"NCCL WARN Error while creating shared memory segment /dev/shm/nccl-VPyhzw (size 21823872)",
         "shared memory too small"},
        {"ibvwrap.cc:278 NCCL WARN Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory",
         "limit on locked memory"},
        {"Memory access fault by GPU node-1 (Agent handle: 0x55) on address (nil)",
         "memory fault on the GPU"},
        {"RuntimeError: CUDA error: system has unsupported display driver / cuda driver combination",
         "CUDA 803"},
        {"Unable to find group render: no matching entries in group file", "the engine's own refusal"},
        {"docker: Error response from daemon: could not select device driver \"\" with capabilities: "
         "[[gpu]].", "the engine's own refusal"},
        {"shared memory", "shared memory too small"},
        {"bus error", "shared memory too small"},
    };
    for (const auto& [line, name] : cases) {
        CAPTURE(line, name);
        CHECK(finds(line, name));
    }
    // Not by one word that stands anywhere.
    CHECK(found("AssertionError: Torch not compiled with CUDA enabled").size() == 1);
    CHECK_FALSE(finds("Failed to initialize NVML: Unknown Error", "GTY-303"));
}

TEST_CASE("each saying finds its own row, in any case and within a line") {
    for (const Explanation& row : explanations()) {
        const std::string name = row.code ? to_string(*row.code) : std::string(row.title);
        CHECK(finds(row.title, name));
        if (row.sayings.empty()) continue;
        for (const std::string_view saying : split(row.sayings, '\n')) {
            CAPTURE(name, saying);
            CHECK(finds(saying, name));
            CHECK(finds("RuntimeError:  " + to_lower(saying) + " (and more)", name));
        }
    }
    for (const StatusSaying& row : status_sayings())
        CHECK(finds(row.saying, status_number(*probe::find_diagnosis(row.library, row.code))));
}

TEST_CASE("a line of Gantry's own is found by the code in it") {
    CHECK(found("docker: Error response from daemon: OCI runtime create failed: GTY-403: GPU check "
                "failed: hsa_init said 0x1008 (OUT_OF_RESOURCES); check HSA_OVERRIDE") ==
          Names{"GTY-403"});
}

TEST_CASE("what is not known leads to rows with the same words, or to none") {
    const Findings findings = look_up("my fabricmanager and shared segments broke");
    CHECK_FALSE(findings.found());
    CHECK(findings.near.size() <= 5);
    CHECK_FALSE(findings.near.empty());
    for (const char* query : {"", " ", "\n", "zzzzzzzz", "a", "`", "0x", "hsa ", "cuda x",
                              "gty-", "\xff\xfe"}) {
        CAPTURE(query);
        CHECK_FALSE(look_up(query).found());
    }
}
