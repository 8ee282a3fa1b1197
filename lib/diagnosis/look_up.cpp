#include "diagnosis/look_up.hpp"

#include <algorithm>
#include <cstdio>

#include "base/text.hpp"

namespace gantry::diagnosis {
namespace {

// Shorter words are in too many sentences to mean one of them.
constexpr std::size_t kLeastPart = 4;
constexpr std::size_t kMostNear = 5;

struct LibraryWords {
    probe::Library library;
    const char *name, *prefix, *format;
};
constexpr LibraryWords kLibraries[] = {
    {probe::Library::Hsa, "HSA", "HSA_STATUS_", "0x%llX"},
    {probe::Library::Hip, "HIP", "hipError", "%lld"},
    {probe::Library::Cuda, "CUDA", "CUDA_ERROR_", "%lld"},
};

const LibraryWords& words_of(probe::Library library) {
    for (const LibraryWords& words : kLibraries)
        if (words.library == library) return words;
    return kLibraries[0];
}

// Lower case, each run of blanks one blank, no backticks.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : to_lower(trim(text))) {
        const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
        if (c == '`' || (blank && out.ends_with(' '))) continue;
        out += blank ? ' ' : c;
    }
    return out;
}

std::optional<unsigned> code_number(std::string_view word) {
    if (word.starts_with("gty")) word.remove_prefix(3);
    if (word.starts_with('-') || word.starts_with('_')) word.remove_prefix(1);
    const auto number = word.size() == 3 ? parse_decimal(word) : std::nullopt;
    return number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

std::optional<std::int64_t> status_code(std::string_view word) {
    const auto number = word.starts_with("0x") ? parse_hex(word.substr(2)) : parse_decimal(word);
    if (!number || *number > 0xFFFFFFFFU) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

// In one of the two, whichever is longer.
bool overlap(const std::string& query, const std::string& saying) {
    if (saying.empty()) return false;
    return query.find(saying) != std::string::npos ||
           (query.size() >= kLeastPart && saying.find(query) != std::string::npos);
}

bool says(const Explanation& row, const std::string& query) {
    if (overlap(query, plain(row.title))) return true;
    for (const std::string_view saying : split(row.sayings, '\n'))
        if (overlap(query, plain(saying))) return true;
    return false;
}

bool says(const probe::Diagnosis& status, const std::string& query) {
    // A longer name is not its own beginning: HSA_STATUS_ERROR is not in every one.
    const std::string name = to_lower(status_name(status));
    for (std::size_t at = query.find(name); at != std::string::npos; at = query.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if (end == query.size() || (query[end] != '_' && !(query[end] >= 'a' && query[end] <= 'z')))
            return true;
    }
    return std::ranges::any_of(status_sayings(), [&](const StatusSaying& row) {
        return row.library == status.library && row.code == status.code &&
               overlap(query, plain(row.saying));
    });
}

std::vector<const Explanation*> near_number(unsigned number) {
    std::vector<const Explanation*> rows;
    for (const Explanation& row : explanations())
        if (row.code && static_cast<unsigned>(*row.code) / 100 == number / 100) rows.push_back(&row);
    const auto distance = [&](const Explanation* row) {
        const int difference = static_cast<int>(*row->code) - static_cast<int>(number);
        return difference < 0 ? -difference : difference;
    };
    std::ranges::stable_sort(rows, {}, distance);
    if (rows.size() > kMostNear) rows.resize(kMostNear);
    return rows;
}

// Rows by how many of the query's words they have anywhere.
std::vector<const Explanation*> near_words(const std::string& query) {
    std::vector<std::pair<std::size_t, const Explanation*>> scores;
    for (const Explanation& row : explanations()) {
        std::string all;
        for (const std::string_view text :
             {row.title, row.meaning, row.causes, row.remedies, row.sayings})
            all += plain(text) + " ";
        std::size_t hits = 0;
        for (const std::string_view word : split(query, ' '))
            hits += word.size() >= kLeastPart && all.find(word) != std::string::npos;
        if (hits > 0) scores.emplace_back(hits, &row);
    }
    std::ranges::stable_sort(scores, std::ranges::greater{}, [](const auto& s) { return s.first; });
    std::vector<const Explanation*> rows;
    for (const auto& [hits, row] : scores)
        if (rows.size() < kMostNear) rows.push_back(row);
    return rows;
}

}  // namespace

std::string status_number(const probe::Diagnosis& status) {
    const LibraryWords& words = words_of(status.library);
    char number[32];
    std::snprintf(number, sizeof number, words.format, static_cast<long long>(status.code));
    return std::string(words.name) + " " + number;
}

std::string status_name(const probe::Diagnosis& status) {
    // hsa.h has HSA_STATUS_ERROR itself and HSA_STATUS_ERROR_… .
    std::string name = words_of(status.library).prefix;
    if (status.library == probe::Library::Hsa && status.name != "ERROR") name += "ERROR_";
    return name + std::string(status.name);
}

Findings look_up(std::string_view text) {
    Findings findings;
    const std::string query = plain(text);
    if (query.empty()) return findings;
    if (const auto number = code_number(query)) {
        if (const Explanation* row = find_explanation(*number))
            findings.explanations.push_back(row);
        else
            findings.near = near_number(*number);
        return findings;
    }
    const std::size_t blank = query.find(' ');
    for (const LibraryWords& words : kLibraries) {
        if (blank == std::string::npos || query.substr(0, blank) != to_lower(words.name)) continue;
        const auto code = status_code(query.substr(blank + 1));
        if (!code) continue;
        for (const probe::Diagnosis& status : probe::diagnosis_table())
            if (status.library == words.library && status.code == *code)
                findings.statuses.push_back(&status);
        if (!findings.found())
            findings.near.push_back(find_explanation(unsigned(Code::ProbeLibraryFailed)));
        return findings;
    }
    // A line of Gantry's own says its code.
    if (const std::size_t at = query.find("gty-"); at != std::string::npos)
        if (const auto number = code_number(std::string_view(query).substr(at, 7)))
            if (const Explanation* row = find_explanation(*number)) {
                findings.explanations.push_back(row);
                return findings;
            }
    for (const probe::Diagnosis& status : probe::diagnosis_table())
        if (says(status, query)) findings.statuses.push_back(&status);
    for (const Explanation& row : explanations())
        if (says(row, query)) findings.explanations.push_back(&row);
    if (!findings.found()) findings.near = near_words(query);
    return findings;
}

}  // namespace gantry::diagnosis
