#include "app/state_folder.hpp"

#include <unistd.h>

#include "base/text.hpp"
#include "sys/file.hpp"

namespace gantry::app {

bool in_user_namespace() {
    const auto map = sys::read_regular_file("/proc/self/uid_map", 4096);
    if (!map) return false;
    std::vector<std::string_view> words;
    for (const std::string_view word : split(trim(map->text), ' '))
        if (!word.empty()) words.push_back(word);
    return !(words.size() == 3 && words[0] == "0" && words[1] == "0" && words[2] == "4294967295");
}

std::string environment_value(const std::vector<std::string>& environment, std::string_view name) {
    for (const std::string& entry : environment)
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
            return entry.substr(name.size() + 1);
    return {};
}

std::string state_folder(const std::string& xdg_runtime_dir) {
    const bool own = xdg_runtime_dir.starts_with('/') && (::geteuid() != 0 || in_user_namespace());
    return (own ? xdg_runtime_dir : std::string("/run")) + "/gantry";
}

}  // namespace gantry::app
