#include "app/exec_process.hpp"

#include <cerrno>

#include "app/bundle.hpp"
#include "apply/spec_editor.hpp"
#include "base/text.hpp"
#include "oci-spec/json_document.hpp"
#include "sys/file.hpp"

namespace gantry::app {

Status complete_exec_process(const Record& record, const oci::RuntimeArgv& arguments) {
    if (!arguments.process_file || (record.env.empty() && record.additional_gids.empty()))
        return {};
    const std::string& path = *arguments.process_file;
    const auto file = sys::read_regular_file(path, kMaxSpecBytes, sys::Links::Refuse);
    if (!file) {
        if (errno == ENOENT) return {};
        return fail(Code::SpecUnreadable,
                    "the process file " + printable(path, 200) + ": " + errno_text(errno),
                    "It must be a regular file of at most 16 MiB and no link");
    }
    auto document = oci::JsonDocument::parse(file->text);
    if (!document) {
        if (document.error().code == Code::SpecMalformed) return {};
        return std::unexpected(document.error());
    }
    GANTRY_CHECK(apply::complete_process(*document, record.env, record.additional_gids));
    const std::string text = document->render();
    if (text == file->text) return {};
    return sys::replace_file(path, text, file->identity);
}

}  // namespace gantry::app
