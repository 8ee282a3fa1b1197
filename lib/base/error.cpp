#include "base/error.hpp"

#include <cerrno>
#include <cstring>

namespace gantry {
namespace {

struct ErrnoWords {
    int number;
    const char* words;
};

constexpr ErrnoWords kErrnoWords[] = {
    {ENOENT, "does not exist (ENOENT)"},
    {EACCES, "access refused by its mode or groups (EACCES)"},
    {EPERM, "not permitted (EPERM)"},
    {ENOTDIR, "a part of the path is no folder (ENOTDIR)"},
    {EISDIR, "is a folder (EISDIR)"},
    {ENXIO, "no driver behind the node (ENXIO)"},
    {ENOSPC, "the disk is full (ENOSPC)"},
    {EROFS, "the file system is read-only (EROFS)"},
};

}  // namespace

std::string to_string(Code code) { return "GTY-" + std::to_string(static_cast<unsigned>(code)); }

std::string Error::text() const {
    std::string whole = to_string(code) + ": " + message;
    if (!remedy.empty()) {
        if (!whole.ends_with('.')) whole += '.';
        whole += ' ';
        whole += remedy;
    }
    if (whole.size() <= kMaxErrorBytes) return whole;
    std::size_t end = kMaxErrorBytes - 3;
    while (end > 0 && (static_cast<unsigned char>(whole[end]) & 0xC0) == 0x80) --end;
    whole.resize(end);
    return whole + "...";
}

std::string errno_text(int error_number) {
    for (const ErrnoWords& entry : kErrnoWords)
        if (entry.number == error_number) return entry.words;
    const char* name = ::strerrorname_np(error_number);
    const char* description = ::strerrordesc_np(error_number);
    std::string text = description ? description : "unknown error";
    return text + " (" + (name ? name : std::to_string(error_number)) + ")";
}

}  // namespace gantry
