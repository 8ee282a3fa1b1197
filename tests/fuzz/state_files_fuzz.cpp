// The input is a file of /run/gantry: a record, a failure, or the story in them.
// "BOOT" in it stands for this boot's id, without which a record counts for nothing.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "app/container_state.hpp"
#include "app/failure_store.hpp"
#include "app/record.hpp"

using namespace gantry::app;

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

std::string folder;

void remove_folder() {
    for (const char* below : {"/containers/a.json", "/failures/a.json"})
        ::unlink((folder + below).c_str());
    for (const char* below : {"/containers", "/failures", ""}) ::rmdir((folder + below).c_str());
}

void make_folder() {
    if (!folder.empty()) return;
    char name[] = "/tmp/gantry-fuzz-XXXXXX";
    require(::mkdtemp(name) != nullptr);
    folder = name;
    require(::mkdir((folder + "/containers").c_str(), 0700) == 0);
    require(::mkdir((folder + "/failures").c_str(), 0700) == 0);
    std::atexit(remove_folder);
}

void write_file(const std::string& path, std::string_view text) {
    std::FILE* file = std::fopen(path.c_str(), "we");
    require(file && ::fchmod(::fileno(file), 0600) == 0);
    require(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    require(std::fclose(file) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    make_folder();
    std::string text(reinterpret_cast<const char*>(data), size);
    if (const auto at = text.find("\"BOOT\""); at != std::string::npos)
        text.replace(at + 1, 4, boot_id());
    write_file(folder + "/containers/a.json", text);
    write_file(folder + "/failures/a.json", text);
    for (const RecordedContainer& live : list_live_containers(folder))
        require(live.record.runtime.path.starts_with('/'));
    require(list_failures(folder).size() <= 1);
    if (const auto story = parse_story(text)) {
        const auto again = parse_story(render_story(*story));
        require(again && render_story(*again) == render_story(*story));
    }
    sweep_stale_records(folder, 10);
    return 0;
}
