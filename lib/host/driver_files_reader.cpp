// The user-space driver files that fit NVIDIA's kernel module: they must be of
// exactly its version (the module refuses others: "API mismatch"), and every
// one of them carries it as the end of its name.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>

#include "host/folder.hpp"
#include "host/readers.hpp"

namespace gantry::host {
namespace {

struct LibraryFolder {
    const char* path;
    bool native;  // by its name for 64-bit libraries only, so no file needs a look
};

// The library folders of the distributions: Fedora, RHEL and SUSE; Debian and
// Ubuntu, where several drivers can lie side by side; Arch and others.
constexpr LibraryFolder kLibraryFolders[] = {
    {"/usr/lib64", true},
    {"/usr/lib/x86_64-linux-gnu", true},
    {"/usr/lib/x86_64-linux-gnu/nvidia/current", true},
    {"/usr/lib/aarch64-linux-gnu", true},
    {"/usr/lib/aarch64-linux-gnu/nvidia/current", true},
    {"/lib64", true},
    {"/lib/x86_64-linux-gnu", true},
    {"/lib/aarch64-linux-gnu", true},
    {"/usr/lib", false},
};

constexpr const char* kBinaries[] = {"nvidia-smi", "nvidia-debugdump", "nvidia-persistenced",
                                     "nvidia-cuda-mps-control", "nvidia-cuda-mps-server"};
constexpr const char* kBinaryFolders[] = {"/usr/bin/", "/usr/sbin/", "/bin/"};

// Links whose name does not tell which library they lead to.
constexpr std::string_view kForeignLinks[] = {"libGLX_indirect"};

constexpr int kMaxLinkSteps = 8;

std::string_view stem(std::string_view name) { return name.substr(0, name.find(".so")); }

// Names of links, end to end in one string: a library folder holds thousands of
// them, of which a few dozen are wanted, and which ones is known at the end.
class NameList {
public:
    void add(std::string_view name) { text_.append(name).push_back('\0'); }

    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t begin = 0; begin < text_.size();) {
            const std::string_view name = text_.c_str() + begin;
            visit(name);
            begin += name.size() + 1;
        }
    }

private:
    std::string text_;
};

struct Candidate {
    std::string name;
    bool is_link = false;
};

bool by_name(const Candidate& a, const Candidate& b) { return a.name < b.name; }

class LibraryCollector {
public:
    LibraryCollector(const HostRoot& root, HostFacts& facts)
        : root_(root), facts_(facts), suffix_(".so." + facts.nvidia_version) {}

    void collect(const LibraryFolder& place) {
        auto folder = Folder::open(root_.open_path(place.path, O_RDONLY | O_DIRECTORY));
        if (!folder || !first_visit(*folder)) return;
        std::vector<Candidate> files;
        NameList links;
        while (const auto entry = folder->next()) {
            const bool driver_file = entry->name.ends_with(suffix_);
            if (!driver_file && entry->name.find(".so") == entry->name.npos) continue;
            const unsigned char type = folder->type_of(*entry);
            if (driver_file && (type == DT_REG || type == DT_LNK)) {
                if (taken_.count(entry->name) == 0)
                    files.push_back({std::string(entry->name), type == DT_LNK});
            } else if (type == DT_LNK) {
                links.add(entry->name);
            }
        }
        if (!files.empty()) add(place, *folder, files, links);
    }

private:
    // /lib64 is most often /usr/lib64 by another name.
    bool first_visit(const Folder& folder) {
        struct stat status;
        return ::fstat(folder.fd(), &status) == 0 &&
               visited_.emplace(status.st_dev, status.st_ino).second;
    }

    void add(const LibraryFolder& place, const Folder& folder, std::vector<Candidate>& files,
             const NameList& links) {
        const auto real_folder = root_.real_path(folder.fd());
        if (!real_folder) return;
        std::sort(files.begin(), files.end(), by_name);
        auto links_to = resolve(place, folder, files, links);
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto& [name, is_link] = files[i];
            const std::string path = std::string(place.path) + "/" + name;
            // A link that bears the version leads elsewhere (/etc/alternatives).
            const auto host_path = is_link ? root_.regular_file(path) : *real_folder + "/" + name;
            if (!host_path || (!place.native && !is_64_bit(path))) continue;
            std::vector<std::string> names = std::move(links_to[i]);
            names.insert(names.begin(), name);
            facts_.nvidia_libraries.push_back({*host_path, std::move(names)});
            taken_.insert(name);
        }
    }

    // For each file the links in its folder that end at it, sorted.
    std::vector<std::vector<std::string>> resolve(const LibraryFolder& place, const Folder& folder,
                                                  const std::vector<Candidate>& files,
                                                  const NameList& links) const {
        std::set<std::string_view> stems(std::begin(kForeignLinks), std::end(kForeignLinks));
        for (const Candidate& file : files) stems.insert(stem(file.name));
        std::map<std::string, std::string> targets;
        links.for_each([&](std::string_view name) {
            if (stems.count(stem(name)) == 0) return;
            if (auto target = folder.link_target(std::string(name).c_str()))
                targets.emplace(name, in_folder(place, std::move(*target)));
        });
        std::vector<std::vector<std::string>> result(files.size());
        for (const auto& [name, first] : targets) {
            std::string target = first;
            for (int step = 0; step < kMaxLinkSteps; ++step) {
                const auto next = targets.find(target);
                if (next == targets.end()) break;
                target = next->second;
            }
            const auto file =
                std::lower_bound(files.begin(), files.end(), Candidate{target, false}, by_name);
            if (file != files.end() && file->name == target)
                result[static_cast<std::size_t>(file - files.begin())].push_back(name);
        }
        return result;
    }

    // The base name where the link stays in its folder, else nothing.
    static std::string in_folder(const LibraryFolder& place, std::string target) {
        const std::string folder = std::string(place.path) + "/";
        for (const std::string& prefix : {std::string("./"), folder})
            if (target.starts_with(prefix)) target.erase(0, prefix.size());
        return target.find('/') == target.npos ? target : std::string{};
    }

    // EI_CLASS of the ELF header. What is no ELF file at all is a stand-in of a
    // simulated host and passes there.
    bool is_64_bit(const std::string& path) const {
        const UniqueFd fd = root_.open_path(path, O_RDONLY | O_NONBLOCK);
        std::array<char, 5> head{};
        const bool whole = fd && ::pread(fd.get(), head.data(), head.size(), 0) ==
                                     static_cast<ssize_t>(head.size());
        const bool elf = whole && std::string_view(head.data(), 4) == "\x7f" "ELF";
        return elf ? head[4] == 2 : whole && root_.simulated();
    }

    const HostRoot& root_;
    HostFacts& facts_;
    std::string suffix_;
    std::set<std::pair<dev_t, ino_t>> visited_;
    std::set<std::string, std::less<>> taken_;  // base names found in an earlier folder
};

void read_binaries(const HostRoot& root, HostFacts& facts) {
    for (const char* name : kBinaries)
        for (const char* folder : kBinaryFolders)
            if (auto path = root.regular_file(std::string(folder) + name)) {
                facts.nvidia_binaries.push_back({std::move(*path), {name}});
                break;
            }
}

bool by_path(const DriverFile& a, const DriverFile& b) { return a.host_path < b.host_path; }

}  // namespace

void read_driver_files(const HostRoot& root, HostFacts& facts) {
    if (facts.nvidia_version.empty()) return;
    LibraryCollector collector(root, facts);
    for (const LibraryFolder& place : kLibraryFolders) collector.collect(place);
    read_binaries(root, facts);
    std::sort(facts.nvidia_libraries.begin(), facts.nvidia_libraries.end(), by_path);
    std::sort(facts.nvidia_binaries.begin(), facts.nvidia_binaries.end(), by_path);
}

}  // namespace gantry::host
