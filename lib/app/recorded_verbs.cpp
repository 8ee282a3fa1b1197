#include "app/recorded_verbs.hpp"

#include <unistd.h>

#include <cerrno>
#include <functional>

#include "app/bundle.hpp"
#include "app/mount_points.hpp"
#include "apply/spec_editor.hpp"
#include "base/text.hpp"
#include "oci-spec/json_document.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/trusted_folder.hpp"

namespace gantry::app {
namespace {

using Completion = std::function<Status(oci::JsonDocument&)>;

// The text as it was where it is not JSON.
Result<std::string> complete_text(const std::string& text, const Completion& complete) {
    auto document = oci::JsonDocument::parse(text);
    if (!document) {
        if (document.error().code == Code::SpecMalformed) return text;
        return std::unexpected(std::move(document.error()));
    }
    if (document->kind(document->root()) != oci::JsonKind::Object) return text;
    GANTRY_CHECK(complete(*document));
    return document->render();
}

// The caller's folder is opened once, and the file is read and replaced in
// there: a link that somebody puts in its way meanwhile leads nowhere.
Status complete_file(const std::string& path, const Completion& complete) {
    const std::string absolute = sys::absolute_path(path);
    const std::size_t slash = absolute.rfind('/');
    const auto refused = [&](const char* remedy) {
        return fail(Code::SpecUnreadable, printable(path, 200) + ": " + errno_text(errno), remedy);
    };
    const UniqueFd folder = sys::open_trusted_folder(absolute.substr(0, slash + 1));
    if (!folder) {
        if (errno == ENOENT || errno == ENOTDIR) return {};
        return refused("Its folder must be reached without links of other users");
    }
    const std::string place =
        "/proc/self/fd/" + std::to_string(folder.get()) + absolute.substr(slash);
    const auto file = sys::read_regular_file(place, kMaxSpecBytes, sys::Links::Refuse);
    if (!file) {
        if (errno == ENOENT) return {};
        return refused("It must be a regular file of at most 16 MiB and no link");
    }
    GANTRY_TRY(const std::string text, complete_text(file->text, complete));
    if (text == file->text) return {};
    auto written = sys::replace_file(place, text, file->identity);
    if (!written)
        if (const std::size_t at = written.error().message.find(place); at != std::string::npos)
            written.error().message.replace(at, place.size(), printable(path, 200));
    return written;
}

// What was read is gone from the pipe, so it is put back, changed or not.
Status complete_stdin(const Completion& complete) {
    std::string text;
    char buffer[16384];
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > kMaxSpecBytes)
            return fail(Code::SpecTooLarge, "the resources on stdin are larger than 16 MiB",
                        "No engine writes that much; see what calls the runtime");
    }
    GANTRY_TRY(const std::string completed, complete_text(text, complete));
    return sys::replace_stdin(completed);
}

}  // namespace

void forget_container(const std::string& state_folder, const Record& record) {
    remove_mount_points(state_folder, record);
    remove_record(state_folder, record);
}

Status complete_exec(const Record& record, const oci::RuntimeArgv& arguments) {
    if (!arguments.process_file || (record.env.empty() && record.additional_gids.empty()))
        return {};
    return complete_file(*arguments.process_file, [&](oci::JsonDocument& document) {
        return apply::complete_process(document, record.env, record.additional_gids);
    });
}

Status complete_update(const Record& record, const oci::RuntimeArgv& arguments) {
    if (!arguments.resources_file || record.device_rules.empty()) return {};
    const Completion complete = [&](oci::JsonDocument& document) {
        return apply::complete_resources(document, record.device_rules);
    };
    return *arguments.resources_file == "-" ? complete_stdin(complete)
                                            : complete_file(*arguments.resources_file, complete);
}

}  // namespace gantry::app
