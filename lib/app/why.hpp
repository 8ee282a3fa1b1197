// `gantryctl why`: what became of one container, and how it came to that.
#pragma once

#include <string>
#include <vector>

#include "app/failure_store.hpp"
#include "app/record.hpp"

namespace gantry::app {

// One container's last create, refused or not.
struct Account {
    std::string root, id, bundle, runtime;
    std::optional<Error> error;  // none: it lives
    Story story;
};

// Live containers and kept failures, newest first.
[[nodiscard]] std::vector<Account> list_accounts(const std::string& state_folder);

// Those that `wanted` names: the beginning of an id, or a pod or its container by
// name ("web", "default/web"), each id with its newest account alone. A whole id or
// name counts before beginnings. Empty: the newest failure.
[[nodiscard]] std::vector<Account> choose_accounts(const std::vector<Account>& all,
                                                   const std::string& wanted);

[[nodiscard]] std::string render_account(const Account& account);
[[nodiscard]] std::string render_account_json(const Account& account);
// A line for each, where more than one was named.
[[nodiscard]] std::string render_account_lines(const std::vector<Account>& accounts);

}  // namespace gantry::app
