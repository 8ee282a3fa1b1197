// A folder of a test's own, gone with it.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gantry::test {

class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "gantry-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
        path_ = std::filesystem::canonical(name).string();
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

    const TempFolder& file(const std::string& name, const std::string& text = {}) const {
        const std::filesystem::path target = path_ + "/" + name;
        std::filesystem::create_directories(target.parent_path());
        std::ofstream(target, std::ios::binary) << text;
        return *this;
    }
    const TempFolder& folder(const std::string& name) const {
        std::filesystem::create_directories(path_ + "/" + name);
        return *this;
    }
    const TempFolder& link(const std::string& name, const std::string& target) const {
        const std::filesystem::path place = path_ + "/" + name;
        std::filesystem::create_directories(place.parent_path());
        std::filesystem::create_symlink(target, place);
        return *this;
    }
    [[nodiscard]] bool has(const std::string& name) const {
        struct stat status {};
        return ::lstat((path_ + "/" + name).c_str(), &status) == 0;
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream stream(path_ + "/" + name, std::ios::binary);
        std::ostringstream all;
        all << stream.rdbuf();
        return all.str();
    }
    // "name type mode size-or-target" of everything below, sorted: two equal
    // snapshots mean that nothing came, went or changed its kind.
    [[nodiscard]] std::vector<std::string> snapshot() const {
        std::vector<std::string> lines;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
            struct stat status {};
            ::lstat(entry.path().c_str(), &status);
            std::string line = entry.path().string().substr(path_.size()) + " " +
                               std::to_string(status.st_mode) + " ";
            if (S_ISLNK(status.st_mode))
                line += std::filesystem::read_symlink(entry.path()).string();
            else if (S_ISREG(status.st_mode))
                line += std::to_string(status.st_size);
            lines.push_back(std::move(line));
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }

private:
    std::string path_;
};

}  // namespace gantry::test
