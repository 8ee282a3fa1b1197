#include "probe/foreign_text.hpp"

#include "base/text.hpp"

namespace gantry::probe {
namespace {

struct Phrase {
    std::string_view theirs, ours;
};

constexpr Phrase kPhrases[] = {
    {"executable file not found", "the program was not found"},
    {"no such file or directory", "not found (ENOENT)"},
    {"permission denied", "access refused (EACCES)"},
    {"operation not permitted", "not allowed (EPERM)"},
    {"is a directory", "is a folder"},
    {"not a directory", "no folder"},
};

}  // namespace

std::string without_engine_phrases(std::string_view text) {
    std::string safe(text);
    // Again from the start after each change: what was put in could complete
    // another phrase with the text around it. None of ours holds one of theirs,
    // so each round leaves fewer letters of theirs and the loop ends.
    for (bool changed = true; changed;) {
        changed = false;
        const std::string lower = to_lower(safe);
        for (const Phrase& phrase : kPhrases) {
            const std::size_t at = lower.find(phrase.theirs);
            if (at == std::string::npos) continue;
            safe.replace(at, phrase.theirs.size(), phrase.ours);
            changed = true;
            break;
        }
    }
    return safe;
}

std::string foreign_text(std::string_view text, std::size_t max_bytes) {
    // Cut twice: the first bounds the work on a hostile text, the second the
    // result, which other words may have made longer.
    std::string line(trim(text.substr(0, 4 * max_bytes)));
    for (char& c : line)
        if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    return printable(without_engine_phrases(printable(line, 4 * max_bytes)), max_bytes);
}

std::string short_path(std::string_view path, std::size_t max_bytes) {
    std::string whole = without_engine_phrases(printable(path, 4096));
    if (whole.size() <= max_bytes) return whole;
    return "..." + whole.substr(whole.size() - max_bytes + 3);
}

}  // namespace gantry::probe
