// The input is a command line: its first byte chooses the runtime, NUL bytes
// part the words.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "oci-spec/runtime_argv.hpp"

using namespace gantry::oci;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const RuntimeKind kind = data[0] & 1 ? RuntimeKind::Crun : RuntimeKind::Runc;
    std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    std::vector<std::string_view> words;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\0'), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const RuntimeArgv argv = parse_runtime_argv(words, kind);
    require(argv.globals.size() <= words.size());
    require(std::equal(argv.globals.begin(), argv.globals.end(), words.begin()));
    if (!argv.verb.empty()) require(argv.verb == words.at(argv.globals.size()));
    if (!argv.id.empty())
        require(std::find(words.begin(), words.end(), argv.id) != words.end());
    return 0;
}
