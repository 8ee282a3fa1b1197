#include "probe/kernels/mutation.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

#include "fakes/ptx/parts.h"

namespace gantry::probe::test {
namespace {

using Random = std::mt19937;

// Of an operand: %rd12 (a register), -64 (a number) or $L__BB2_3 (a label).
struct Piece {
    std::size_t at, size;
    char kind;            // 'r', 'n' or 'l'
    std::string prefix;   // "%rd"
};

struct Instruction {
    std::string kernel, text;
    std::size_t at;  // where it begins in the module
};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

std::size_t end_of_name(const std::string& text, std::size_t at) {
    while (at < text.size() && in_name(text[at])) ++at;
    return at;
}

// Of everything behind the opcode.
std::vector<Piece> pieces(const std::string& text, std::size_t from) {
    std::vector<Piece> found;
    for (std::size_t at = from; at < text.size();) {
        if (text[at] == '%') {
            const std::size_t end = end_of_name(text, at + 1);
            std::size_t digits = end;
            while (is_digit(text[digits - 1])) --digits;
            if (digits < end && text[end] != '.')
                found.push_back({at, end - at, 'r', text.substr(at, digits - at)});
            at = text[end] == '.' ? end + 2 : end;
        } else if (is_digit(text[at]) || (text[at] == '-' && is_digit(text[at + 1]))) {
            const std::size_t end = end_of_name(text, at + 1);
            found.push_back({at, end - at, 'n', {}});
            at = end;
        } else if (in_name(text[at])) {
            const std::size_t end = end_of_name(text, at);
            if (text[at] == '$') found.push_back({at, end - at, 'l', {}});
            at = end;
        } else {
            ++at;
        }
    }
    return found;
}

std::string replaced(std::string text, const Piece& piece, const std::string& by) {
    return text.replace(piece.at, piece.size, by);
}

std::size_t opcode_at(const std::string& text) {
    return text[0] == '@' ? text.find_first_not_of(" \t", text.find_first_of(" \t")) : 0;
}

std::string opcode_of(const std::string& text) {
    const std::size_t at = opcode_at(text);
    return text.substr(at, text.find_first_of(" \t;", at) - at);
}

template <typename T>
const T& any_of(const std::vector<T>& values, Random& random) {
    return values[random() % values.size()];
}

std::optional<std::string> other_opcode(const std::string& text, Random& random) {
    const std::string opcode = opcode_of(text);
    const ptx_opcode* all_end = ptx_opcodes + ptx_opcode_count;
    const ptx_opcode* mine = std::find_if(
        ptx_opcodes, all_end, [&](const ptx_opcode& row) { return opcode == row.text; });
    if (mine == all_end) return std::nullopt;
    std::vector<std::string> others;
    for (const ptx_opcode* row = ptx_opcodes; row < all_end; ++row)
        if (std::strcmp(row->operands, mine->operands) == 0 &&
            (row->op != mine->op || row->compare != mine->compare ||
             row->unordered != mine->unordered))
            others.push_back(row->text);
    if (others.empty()) return std::nullopt;
    std::string made = text;
    return made.replace(opcode_at(text), opcode.size(), any_of(others, random));
}

std::optional<std::string> other_piece(const std::string& text, const std::string& kernel_text,
                                       Random& random) {
    std::vector<Piece> all = pieces(text, opcode_at(text) + opcode_of(text).size());
    if (all.empty() || opcode_of(text) == "bar.sync") return std::nullopt;
    const Piece piece = any_of(all, random);
    if (piece.kind == 'n') {
        const std::string number = text.substr(piece.at, piece.size);
        if (number.starts_with("0f")) return replaced(text, piece, "0f3F800000");
        const long long value = std::stoll(number);
        const long long others[] = {value + 1, value - 1, value * 2, value + 16, -value};
        return replaced(text, piece, std::to_string(others[random() % 5]));
    }
    // Another register or label that the same kernel has.
    std::vector<std::string> others;
    for (const Piece& other : pieces(kernel_text, 0))
        if (other.kind == piece.kind && other.prefix == piece.prefix)
            others.push_back(kernel_text.substr(other.at, other.size));
    return replaced(text, piece, any_of(others, random));
}

std::optional<std::string> other_guard(const std::string& text, Random& random) {
    if (text[0] != '@') return std::nullopt;
    if (random() % 2) return text.substr(opcode_at(text));
    return text[1] == '!' ? "@" + text.substr(2) : "@!" + text.substr(1);
}

std::optional<std::string> mutated(const std::string& text, const std::string& kernel_text,
                                   Random& random) {
    switch (random() % 8) {
        case 0: return "";
        case 1: return other_guard(text, random);
        case 2:
        case 3:
        case 4: return other_opcode(text, random);
        default: return other_piece(text, kernel_text, random);
    }
}

struct Source {
    std::vector<Instruction> instructions;
    std::vector<std::pair<std::string, std::string>> kernels;  // name, the text of its code
};

Source read_source(const std::string& ptx, const std::vector<std::string>& wanted) {
    Source source;
    std::string kernel;
    std::size_t at = 0;
    std::istringstream lines(ptx);
    for (std::string line; std::getline(lines, line); at += line.size() + 1) {
        const std::size_t entry = line.find(".entry ");
        if (entry != std::string::npos) kernel = line.substr(entry + 7, line.find('(') - entry - 7);
        if (std::find(wanted.begin(), wanted.end(), kernel) == wanted.end()) continue;
        const bool code = line.size() > 1 && line[0] == '\t' &&
                          (std::islower(static_cast<unsigned char>(line[1])) || line[1] == '@');
        if (!code) continue;
        const std::string text = line.substr(1, line.find(';') - 1);
        source.instructions.push_back({kernel, text, at + 1});
        if (source.kernels.empty() || source.kernels.back().first != kernel)
            source.kernels.push_back({kernel, {}});
        source.kernels.back().second += text + "\n";
    }
    return source;
}

}  // namespace

std::vector<Mutant> make_mutants(const std::string& ptx, const std::vector<std::string>& kernels,
                                 unsigned count, std::mt19937::result_type seed) {
    const Source source = read_source(ptx, kernels);
    Random random(seed);
    std::set<std::string> seen;
    std::vector<Mutant> mutants;
    while (mutants.size() < count) {
        const Instruction& chosen = any_of(source.instructions, random);
        const auto kernel =
            std::find_if(source.kernels.begin(), source.kernels.end(),
                         [&](const auto& entry) { return entry.first == chosen.kernel; });
        const auto after = mutated(chosen.text, kernel->second, random);
        if (!after || *after == chosen.text) continue;
        std::string text = ptx;
        text.replace(chosen.at, chosen.text.size() + (after->empty() ? 1 : 0), *after);
        if (seen.insert(text).second)
            mutants.push_back({chosen.kernel, chosen.text, *after, std::move(text)});
    }
    return mutants;
}

}  // namespace gantry::probe::test
