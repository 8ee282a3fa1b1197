#include "app/run_hook.hpp"

#include <unistd.h>

#include <cerrno>

#include "app/bundle.hpp"
#include "app/container_plan.hpp"
#include "app/log.hpp"
#include "app/settings.hpp"

namespace gantry::app {
namespace {

constexpr const char* kUsage = "Call it as: gantry-hook [--config FILE] precreate";

struct HookCall {
    std::string stage;
    std::string config = kDefaultConfigPath;
};

Result<HookCall> parse_call(const std::vector<std::string>& arguments) {
    HookCall call;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        if (word == "--config" && i + 1 < arguments.size())
            call.config = arguments[++i];
        else if (word.starts_with("--config="))
            call.config = word.substr(9);
        else if (call.stage.empty() && !word.starts_with('-'))
            call.stage = word;
        else
            return fail(Code::ArgumentsInvalid, "gantry-hook does not know \"" + word + "\"",
                        kUsage);
    }
    // The stages that act on a container that is already made are not part of
    // this version; saying so beats starting a container without its GPU.
    if (call.stage != "precreate")
        return fail(Code::ArgumentsInvalid,
                    "gantry-hook has no stage \"" + call.stage + "\" in this version", kUsage);
    return call;
}

Result<std::string> read_stdin() {
    std::string text;
    char buffer[65536];
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return fail(Code::SpecUnreadable, "config.json on stdin: " + errno_text(errno), kUsage);
        if (n == 0) return text;
        text.append(buffer, static_cast<std::size_t>(n));
        if (text.size() > kMaxSpecBytes)
            return fail(Code::SpecTooLarge, "config.json on stdin is larger than 16 MiB",
                        "Make it smaller");
    }
}

bool write_stdout(std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

Result<std::string> precreate(const LoadedSettings& loaded, const std::string& config) {
    GANTRY_TRY(ContainerRequest container,
               read_container_request(config, loaded.settings));
    if (!container.request.any()) return config;
    if (loaded.error) return std::unexpected(*loaded.error);
    // Podman gives root.path as an absolute path; which runtime will read the
    // result is not known here, and runc's reading of the rules suits both.
    GANTRY_TRY(const plan::Plan plan,
               plan_container(loaded.settings, container, rootfs_of(container.spec, "/"),
                              oci::RuntimeKind::Runc));
    for (const std::string& notice : plan.notices)
        log_line(loaded.settings, LogLevel::Info, "", notice);
    return edit_container(container, plan);
}

int refuse(const Error& error) {
    const std::string line = error.text() + "\n";
    (void)!::write(STDERR_FILENO, line.data(), line.size());
    return 1;
}

}  // namespace

int run_hook(const std::vector<std::string>& arguments) {
    const auto call = parse_call(arguments);
    if (!call) return refuse(call.error());
    const LoadedSettings loaded = load_settings(call->config);
    const auto config = read_stdin();
    if (!config) return refuse(config.error());
    const auto edited = precreate(loaded, *config);
    if (!edited) {
        log_line(loaded.settings, LogLevel::Error, "", edited.error().text());
        return refuse(edited.error());
    }
    return write_stdout(*edited) ? 0 : 1;
}

}  // namespace gantry::app
