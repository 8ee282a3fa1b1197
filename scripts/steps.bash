# Sourced by quickstart and test: steps with a name, a time limit and a log.
# A step that fails says which one it was, why, and shows the end of its log.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$top/build/logs

say() { printf '%s\n' "$*"; }

#   step NAME SECONDS COMMAND [ARGUMENT…]      output goes to build/logs/NAME.log
step() {
    local name=$1 limit=$2 begin=$SECONDS status=0
    shift 2
    mkdir -p "$logs"
    printf '%-52s ' "$name ..."
    run_limited "$limit" "$@" </dev/null >"$logs/${name// /-}.log" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        say "ok ($((SECONDS - begin)) s)"
        return 0
    fi
    say "FAILED"
    failed_step "$name" "$status" "$limit"
}

#   step_shown NAME SECONDS COMMAND [ARGUMENT…]      the same, output to the terminal
step_shown() {
    local name=$1 limit=$2 status=0
    shift 2
    say "$name ..."
    run_limited "$limit" "$@" </dev/null || status=$?
    [ "$status" -eq 0 ] || failed_step "$name" "$status" "$limit"
}

# timeout(1) runs programs only; a function of this file goes through a shell
# that has read the file too.
run_limited() {
    local limit=$1
    shift
    if declare -F "$1" >/dev/null; then
        # shellcheck disable=SC2016 # expanded by the inner shell
        timeout --foreground --kill-after=10 "$limit" \
            bash -c '. "$0"; "$@"' "$top/scripts/steps.bash" "$@"
    else
        timeout --foreground --kill-after=10 "$limit" "$@"
    fi
}

failed_step() {
    local name=$1 status=$2 limit=$3 log=$logs/${1// /-}.log
    [ ! -f "$log" ] || tail -n 40 "$log"
    case $status in
        124 | 137) say "The step \"$name\" did not end within $limit s." ;;
        *) say "The step \"$name\" failed with status $status." ;;
    esac >&2
    [ ! -f "$log" ] || say "Its whole output: $log" >&2
    exit 1
}

# Runs a command as root: directly, or by sudo where that is there.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        say "This needs root, and sudo is not installed. Run the script as root." >&2
        return 1
    fi
}

# Installs those of the packages that are missing. Names with alternatives
# ("a|b") take the first that the distribution has.
install_packages() {
    command -v apt-get >/dev/null || {
        say "Only Debian and Ubuntu are known here (no apt-get). Install by hand: $*" >&2
        return 1
    }
    local wanted=() missing=() entry name
    for entry in "$@"; do
        name=$entry
        if [[ $entry == *"|"* ]]; then
            name=${entry%%|*}
            package_known "$name" || name=${entry#*|}
        fi
        [ -z "$name" ] || wanted+=("$name")
    done
    for name in "${wanted[@]}"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] ||
            missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing: ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}"
}

package_known() { [ -n "$(apt-cache search --names-only "^$1\$" 2>/dev/null)" ]; }

# The package lists of the distribution, fetched anew.
refresh_package_lists() {
    command -v apt-get >/dev/null || return 0  # install_packages says what to do then
    as_root apt-get update -qq
}

# shellcheck disable=SC2034 # used by the scripts that source this file
build_packages=(build-essential cmake ninja-build nlohmann-json3-dev libspdlog-dev libfmt-dev
    libtomlplusplus-dev libcli11-dev)
