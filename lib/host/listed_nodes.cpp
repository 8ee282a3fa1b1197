#include "host/listed_nodes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace gantry::host {
namespace {

using nlohmann::json;

constexpr std::string_view kMembers[] = {"path", "type", "major", "minor", "mode", "uid", "gid"};
// Widths of dev_t in Linux (MINORBITS 20, majors 12 bits).
constexpr std::uint64_t kMaxMajor = 4095;
constexpr std::uint64_t kMaxMinor = (1U << 20) - 1;
// (uid_t)-1 means "leave as it is" to chown(2).
constexpr std::uint64_t kMaxId = UINT32_MAX - 1;

class EntryReader {
public:
    EntryReader(const json& entry, std::string place)
        : entry_(entry), place_(std::move(place)) {}

    [[nodiscard]] Result<DeviceNode> read() const {
        if (!entry_.is_object()) return bad("is no object");
        for (const auto& [name, value] : entry_.items())
            if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers))
                return bad("has the unknown member " + printable(name));
        DeviceNode node;
        GANTRY_TRY(node.path, text("path"));
        if (!is_clean_path(node.path)) return bad("path is no clean absolute path below /dev/");
        GANTRY_TRY(const std::string type, text("type"));
        if (type != "c" && type != "b") return bad("type is neither \"c\" nor \"b\"");
        node.type = type[0];
        GANTRY_TRY(node.major, number("major", kMaxMajor));
        GANTRY_TRY(node.minor, number("minor", kMaxMinor));
        GANTRY_TRY(const std::string mode, text("mode"));
        const auto bits = parse_octal(mode);
        if (!bits || *bits > 07777) return bad("mode is no octal text like \"0660\"");
        node.mode = static_cast<std::uint32_t>(*bits);
        GANTRY_TRY(node.uid, number("uid", kMaxId));
        GANTRY_TRY(node.gid, number("gid", kMaxId));
        return node;
    }

private:
    static bool is_clean_path(std::string_view path) {
        if (!path.starts_with("/dev/")) return false;
        for (const std::string_view part : split(path.substr(1), '/'))
            if (part.empty() || part == "." || part == "..") return false;
        return true;
    }

    [[nodiscard]] std::unexpected<Error> bad(const std::string& what) const {
        return fail(Code::HostUnreadable, place_ + " " + what,
                    "Correct the list of device nodes of the simulated host");
    }

    [[nodiscard]] Result<std::string> text(const char* member) const {
        const auto found = entry_.find(member);
        if (found == entry_.end()) return bad(std::string("lacks the member ") + member);
        if (!found->is_string()) return bad(std::string(member) + " is no text");
        return found->get<std::string>();
    }

    [[nodiscard]] Result<std::uint32_t> number(const char* member, std::uint64_t most) const {
        const auto found = entry_.find(member);
        if (found == entry_.end()) return bad(std::string("lacks the member ") + member);
        if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most)
            return bad(std::string(member) + " is no number from 0 to " + std::to_string(most));
        return static_cast<std::uint32_t>(found->get<std::uint64_t>());
    }

    const json& entry_;
    std::string place_;
};

}  // namespace

Result<std::vector<DeviceNode>> parse_listed_nodes(std::string_view text,
                                                   const std::string& file) {
    const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!document.is_array())
        return fail(Code::HostUnreadable,
                    file + (document.is_discarded() ? " is not JSON" : " is no JSON array"),
                    "Correct the list of device nodes of the simulated host");
    std::vector<DeviceNode> nodes;
    nodes.reserve(document.size());
    for (const json& entry : document) {
        const std::string place = file + ": entry " + std::to_string(nodes.size());
        GANTRY_TRY(DeviceNode node, EntryReader(entry, place).read());
        nodes.push_back(std::move(node));
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const DeviceNode& a, const DeviceNode& b) { return a.path < b.path; });
    const auto twice = std::adjacent_find(
        nodes.begin(), nodes.end(),
        [](const DeviceNode& a, const DeviceNode& b) { return a.path == b.path; });
    if (twice != nodes.end())
        return fail(Code::HostUnreadable,
                    file + ": path " + printable(twice->path) + " is listed twice",
                    "Keep one entry for each device node");
    return nodes;
}

}  // namespace gantry::host
