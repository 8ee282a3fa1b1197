#include "probe/inside/report_line.hpp"

#include <cerrno>
#include <cstdio>

#include <unistd.h>

namespace gantry::probe::inside {

void ReportLine::append(const char* text) {
    // One byte is kept for the newline.
    while (*text != '\0' && size_ + 1 < sizeof bytes_) bytes_[size_++] = line_char(*text++);
}

ReportLine& ReportLine::text(const char* field) {
    if (size_ + 1 < sizeof bytes_) bytes_[size_++] = '\t';
    append(field);
    return *this;
}

ReportLine& ReportLine::number(long long field) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "%lld", field);
    return text(digits);
}

ReportLine& ReportLine::octal(unsigned field) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%o", field);
    return text(digits);
}

void ReportLine::send(int report_fd) {
    bytes_[size_] = '\n';
    // A reader that is gone has no use for the rest; SIGPIPE ends us then.
    while (::write(report_fd, bytes_, size_ + 1) < 0 && errno == EINTR) {
    }
}

void send_stage(int report_fd, const char* name, const char* detail) {
    char text[1024];
    std::snprintf(text, sizeof text, "%s%s", name, detail);
    ReportLine("stage").text(text).send(report_fd);
}

void send_note(int report_fd, const char* text, const char* detail) {
    char whole[1024];
    std::snprintf(whole, sizeof whole, "%s%s", text, detail);
    ReportLine("note").text(whole).send(report_fd);
}

}  // namespace gantry::probe::inside
