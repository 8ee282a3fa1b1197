#include "oci-spec/runtime_argv.hpp"

#include <span>

#include "oci-spec/runtime_options.hpp"

namespace gantry::oci {
namespace {

using Tokens = std::span<const std::string_view>;

// strconv.ParseBool, as both versions of urfave/cli use it; the newer one reads
// an empty value as true.
std::optional<bool> go_boolean(std::string_view text) {
    for (const char* word : {"", "1", "t", "T", "true", "TRUE", "True"})
        if (text == word) return true;
    for (const char* word : {"0", "f", "F", "false", "FALSE", "False"})
        if (text == word) return false;
    return std::nullopt;
}

// Reads one level of the command line: the globals, or what follows the verb.
class LevelReader {
public:
    LevelReader(RuntimeArgv& result, RuntimeKind kind, std::uint32_t scope, bool ends_at_operand)
        : result_(result), kind_(kind), scope_(scope),
          // argp with ARGP_IN_ORDER never looks beyond the first operand.
          ends_at_operand_(ends_at_operand || kind == RuntimeKind::Crun) {}

    void read(Tokens tokens) {
        tokens_ = tokens;
        while (at_ < tokens_.size()) {
            const std::string_view token = tokens_[at_++];
            if (token == "--") return take_operands();
            if (token.size() < 2 || token[0] != '-') {
                operands_.push_back(token);
                if (ends_at_operand_) return take_operands();
            } else if (kind_ == RuntimeKind::Runc) {
                read_go_option(token);
            } else if (token[1] == '-') {
                read_long_option(token.substr(2));
            } else {
                read_letters(token.substr(1));
            }
        }
    }

    [[nodiscard]] const std::vector<std::string_view>& operands() const { return operands_; }
    [[nodiscard]] bool prints_only() const { return prints_only_; }

private:
    void take_operands() {
        operands_.insert(operands_.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(at_),
                         tokens_.end());
        at_ = tokens_.size();
    }

    // One or two dashes are the same to Go; letters are names of one letter.
    void read_go_option(std::string_view token) {
        std::string_view name = token.substr(token[1] == '-' ? 2 : 1);
        std::optional<std::string_view> value;
        if (const auto equals = name.find('='); equals != std::string_view::npos) {
            value = name.substr(equals + 1);
            name = name.substr(0, equals);
        }
        if (name.empty() || name[0] == '-') {
            result_.usage_error = true;
            return;
        }
        const RuntimeOption* option = find_go_option(name, scope_);
        // runc on urfave/cli 3 takes the globals after the verb too.
        if (!option) option = find_go_option(name, kGlobal & ~scope_);
        if (!option) return skip_unknown(value.has_value());
        if (option->takes == Takes::Nothing) {
            if (const auto on = go_boolean(value.value_or("true"))) {
                apply_flag(option->meaning, *on);
            } else {
                result_.usage_error = true;
            }
        } else {
            apply_value(*option, value);
        }
    }

    [[nodiscard]] const RuntimeOption* find_go_option(std::string_view name,
                                                      std::uint32_t scope) const {
        if (name.size() == 1) return find_letter(name[0], scope, kind_);
        return find_option(name, scope, kind_);
    }

    void read_long_option(std::string_view name) {
        std::optional<std::string_view> value;
        if (const auto equals = name.find('='); equals != std::string_view::npos) {
            value = name.substr(equals + 1);
            name = name.substr(0, equals);
        }
        const Abbreviated found = find_abbreviated(name, scope_, kind_);
        if (found.ambiguous || (found.option && found.option->takes == Takes::Nothing && value)) {
            result_.usage_error = true;
        } else if (!found.option) {
            skip_unknown(value.has_value());
        } else if (found.option->takes == Takes::Nothing) {
            apply_flag(found.option->meaning, true);
        } else {
            apply_value(*found.option, value);
        }
    }

    // "-db DIR", "-bDIR"; "-b=DIR" is the path "=DIR".
    void read_letters(std::string_view letters) {
        while (!letters.empty()) {
            const RuntimeOption* option = find_letter(letters[0], scope_, kind_);
            letters.remove_prefix(1);
            if (!option) return skip_unknown(true);
            if (option->takes == Takes::Nothing) {
                apply_flag(option->meaning, true);
                continue;
            }
            std::optional<std::string_view> value;
            if (!letters.empty()) value = letters;
            return apply_value(*option, value);
        }
    }

    void skip_unknown(bool has_value) {
        result_.unknown_option = true;
        // Before the verb, a word that is no verb must be the option's value:
        // better than to take it for the verb and to miss the create after it.
        if (scope_ == kGlobal && !has_value && at_ + 1 < tokens_.size() &&
            !tokens_[at_].starts_with('-') && !find_runtime_verb(tokens_[at_]))
            ++at_;
    }

    void apply_flag(Meaning meaning, bool on) {
        switch (meaning) {
            case Meaning::PrintsOnly: prints_only_ = on; break;
            case Meaning::NoPivot: result_.no_pivot = on; break;
            case Meaning::NoNewKeyring: result_.no_new_keyring = on; break;
            case Meaning::Force: result_.force = on; break;
            case Meaning::SystemdCgroup:
                result_.systemd_cgroup = on;
                result_.cgroup_manager.clear();
                break;
            default: break;
        }
    }

    void apply_value(const RuntimeOption& option, std::optional<std::string_view> given) {
        if (!given && option.takes == Takes::MaybeValue) return;
        if (!given) {
            if (at_ == tokens_.size()) {
                result_.usage_error = true;
                return;
            }
            given = tokens_[at_++];  // whatever it looks like, "--" too
        }
        const std::string value(*given);
        switch (option.meaning) {
            case Meaning::Root: result_.root = value; break;
            case Meaning::Log: result_.log = value; break;
            case Meaning::LogFormat: result_.log_format = value; break;
            case Meaning::Rootless: result_.rootless = value; break;
            case Meaning::PidFile: result_.pid_file = value; break;
            case Meaning::ProcessFile: result_.process_file = value; break;
            case Meaning::ResourcesFile: result_.resources_file = value; break;
            case Meaning::CgroupManager:
                result_.cgroup_manager = value;
                result_.systemd_cgroup = value == "systemd";
                break;
            case Meaning::Bundle:
                // runc stays where it is for an empty path, crun fails.
                if (value.empty() && kind_ == RuntimeKind::Runc) {
                    result_.bundle.reset();
                } else {
                    result_.bundle = value;
                }
                break;
            case Meaning::ConfigFile: result_.config_file = value; break;
            default: break;
        }
    }

    RuntimeArgv& result_;
    RuntimeKind kind_;
    std::uint32_t scope_;
    bool ends_at_operand_;
    bool prints_only_ = false;
    Tokens tokens_;
    std::size_t at_ = 0;
    std::vector<std::string_view> operands_;
};

void read_verb(RuntimeArgv& result, Tokens tokens, RuntimeKind kind) {
    const RuntimeVerb* known = find_runtime_verb(result.verb);
    const RuntimeVerb verb = known ? *known : RuntimeVerb{.name = {}, .scope = kPlain};
    LevelReader reader(result, kind, verb.scope, verb.ends_at_operand);
    reader.read(tokens);
    const auto& operands = reader.operands();
    if (operands.size() > verb.id_at) result.id = operands[verb.id_at];
    if (verb.one_operand && operands.size() != 1) {
        // After an option not known here the others may be its value; engines
        // write the id last.
        if (!result.unknown_option) {
            result.usage_error = true;
        } else if (!operands.empty()) {
            result.id = operands.back();
        }
    }
    if (reader.prints_only()) result.usage_error = true;
    // crun compares the name as written and only then looks from the working
    // directory; this one name it looks up in the bundle.
    if (result.config_file == "config.json") result.config_file.reset();
    // realpath("") fails.
    if (result.bundle == "" || result.config_file == "") result.usage_error = true;
}

}  // namespace

RuntimeArgv parse_runtime_argv(const std::vector<std::string_view>& arguments, RuntimeKind kind) {
    RuntimeArgv result;
    LevelReader globals(result, kind, kGlobal, true);
    globals.read(arguments);
    const auto& words = globals.operands();
    if (globals.prints_only() || words.empty()) {
        result.globals.assign(arguments.begin(), arguments.end());
        return result;
    }
    const std::size_t verb_at = arguments.size() - words.size();
    result.globals.assign(arguments.begin(),
                          arguments.begin() + static_cast<std::ptrdiff_t>(verb_at));
    result.verb = words.front();
    read_verb(result, Tokens(arguments).subspan(verb_at + 1), kind);
    return result;
}

}  // namespace gantry::oci
