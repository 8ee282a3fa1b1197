// nodes.json: the device nodes of a simulated host, for places where device
// nodes cannot be made or kept (git, unprivileged builds).
//
//   [{"path": "/dev/kfd", "type": "c", "major": 234, "minor": 0,
//     "mode": "0660", "uid": 0, "gid": 109}, …]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "host/facts.hpp"

namespace gantry::host {

// By path. Strict: every member is needed, no other is known, no path twice.
// Error: HostUnreadable, naming `file`, the entry and the member.
[[nodiscard]] Result<std::vector<DeviceNode>> parse_listed_nodes(std::string_view text,
                                                                 const std::string& file);

}  // namespace gantry::host
