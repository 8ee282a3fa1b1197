#include "app/log.hpp"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "app/system_log.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace gantry::app {
namespace {

// spdlog's own file sinks follow links and make files that everybody can read;
// a root process must do neither in a folder that others may write to.
class DescriptorSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    explicit DescriptorSink(int fd) : fd_(fd) {}

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        // One write a line: lines of several shims do not mix (O_APPEND).
        (void)!::write(fd_, line.data(), line.size());
    }
    void flush_() override {}
    int fd_;
};

constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                 spdlog::level::warn, spdlog::level::err};

// "pod default/web: AMD GPU 0 (RX 6700 XT): TEXT"
std::string with_subject(const std::string& text, const Story& story) {
    std::string whole = story.pod.empty() ? "" : "pod " + story.pod + ": ";
    if (!story.gpus.empty() && text.find(story.gpus.front()) == std::string::npos)
        whole += story.gpu_text() + ": ";
    return whole + text;
}

}  // namespace

void log_line(const Settings& settings, LogLevel level, const std::string& container,
              const std::string& text, const Story& story) {
    const auto wanted = spdlog::level::from_str(settings.log_level);
    if (kLevels[static_cast<int>(level)] < wanted) return;
    const std::string whose = container.empty() ? "-" : printable(container);
    const std::string words = printable(with_subject(text, story), 2000);
    if (settings.log_to_system) system_log_line(level, "container " + whose + ": " + words);
    if (settings.log_file.empty()) return;
    const UniqueFd fd(::open(settings.log_file.c_str(),
                             O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                             0640));
    if (!fd) return;
    spdlog::logger logger("gantry", std::make_shared<DescriptorSink>(fd.get()));
    logger.set_level(wanted);
    logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    logger.log(kLevels[static_cast<int>(level)], "{} {}", whose, words);
}

}  // namespace gantry::app
