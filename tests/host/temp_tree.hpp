// A host tree of a few lines, declared in the test that needs it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "host/host_root.hpp"

namespace gantry::test {

class TempTree {
public:
    TempTree() {
        std::string name = (std::filesystem::temp_directory_path() / "gantry-tree-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
        path_ = std::filesystem::canonical(name).string();
    }
    TempTree(const TempTree&) = delete;
    TempTree& operator=(const TempTree&) = delete;
    ~TempTree() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const { return path_; }

    TempTree& file(const std::string& path, const std::string& text = {}) {
        const std::filesystem::path target = path_ + path;
        std::filesystem::create_directories(target.parent_path());
        std::ofstream(target, std::ios::binary) << text;
        return *this;
    }
    TempTree& folder(const std::string& path) {
        std::filesystem::create_directories(path_ + path);
        return *this;
    }
    TempTree& link(const std::string& path, const std::string& target) {
        const std::filesystem::path place = path_ + path;
        std::filesystem::create_directories(place.parent_path());
        std::filesystem::create_symlink(target, place);
        return *this;
    }
    // One entry of nodes.json.
    TempTree& node(const std::string& path, unsigned major, unsigned minor, unsigned gid = 0,
                   const std::string& mode = "0660") {
        nodes_ += (nodes_.empty() ? "" : ",") + std::string("{\"path\":\"") + path +
                  R"(","type":"c","major":)" + std::to_string(major) +
                  ",\"minor\":" + std::to_string(minor) + R"(,"mode":")" + mode +
                  R"(","uid":0,"gid":)" + std::to_string(gid) + "}";
        return file("/nodes.json", "[" + nodes_ + "]");
    }

    [[nodiscard]] host::HostRoot root() const {
        auto root = host::HostRoot::open(path_);
        if (!root) throw std::runtime_error(root.error().text());
        return std::move(*root);
    }
    [[nodiscard]] host::HostFacts facts(host::FactsWanted wanted = {}) const {
        auto facts = host::read_host_facts(root(), wanted);
        if (!facts) throw std::runtime_error(facts.error().text());
        return std::move(*facts);
    }

private:
    std::string path_, nodes_;
};

}  // namespace gantry::test
