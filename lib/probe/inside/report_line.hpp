// One line of the report (probe/report.hpp), built in place and sent by one
// write(2). Used by both parts of gantry-probe, so nothing but libc.
#pragma once

#include <cstddef>

#include "probe/protocol.hpp"

namespace gantry::probe::inside {

class ReportLine {
public:
    explicit ReportLine(const char* word) { append(word); }
    ReportLine& text(const char* field);        // next field; what does not fit is cut
    ReportLine& number(long long field);
    ReportLine& octal(unsigned field);
    void send(int report_fd);

private:
    void append(const char* text);
    char bytes_[kMaxLineBytes];
    std::size_t size_ = 0;
};

void send_stage(int report_fd, const char* name, const char* detail = "");
void send_note(int report_fd, const char* text, const char* detail = "");

}  // namespace gantry::probe::inside
