#include "probe/check_program.hpp"

#include <cerrno>

#include "base/text.hpp"
#include "probe/protocol.hpp"
#include "sys/file.hpp"

namespace gantry::probe {
namespace {

constexpr std::size_t kMaxProgramBytes = std::size_t{16} << 20;

constexpr const char* kReport = "4";
constexpr const char* kChallenges = "5";

std::string granted_text(const Expectation& expectation, const std::vector<ExpectedGpu>& gpus) {
    std::vector<std::string> addresses;
    for (const ExpectedGpu& gpu : gpus)
        addresses.push_back(!gpu.in_use.empty()     ? kNoGpu
                            : expectation.simulated ? kAnyGpu
                                                    : gpu.pci_address);
    return addresses.empty() ? "-" : join(addresses, ",");
}

}  // namespace

Result<UniqueFd> load_program(const std::string& path) {
    const auto program = sys::read_regular_file(path, kMaxProgramBytes);
    if (!program)
        return fail(Code::ProbeMissing,
                    "the GPU check's program " + path + ": " + errno_text(errno),
                    "Install Gantry again; gantry-probe belongs beside gantry-runtime or in "
                    "../libexec/gantry");
    return sys::sealed_memory_file("gantry-probe", program->text);
}

std::vector<std::string> check_arguments(const Expectation& expectation, const MatrixSeeds& seeds) {
    std::vector<std::string> arguments{kProgram, kReport, kChallenges};
    for (const ExpectedNode& node : expectation.nodes)
        arguments.push_back(std::string(role_name(node.role)) + ":" + std::to_string(node.major) +
                            ":" + std::to_string(node.minor) + ":" + node.path);
    const ExpectedProduct& product = expectation.product;
    std::string task;
    for (const unsigned number : {product.size, product.rounds, product.budget_ms, seeds.a, seeds.b})
        task += std::to_string(number) + ":";
    for (const std::string& word :
         {std::string("--amd"), granted_text(expectation, expectation.amd), std::string("--nvidia"),
          granted_text(expectation, expectation.nvidia), std::string("--gemm"),
          task + (product.hip ? "hip" : "hsa")})
        arguments.push_back(word);
    return arguments;
}

}  // namespace gantry::probe
