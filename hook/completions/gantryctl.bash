# bash completion of gantryctl(1)
_gantryctl() {
    local word=${COMP_WORDS[COMP_CWORD]} before='' command='' i
    [ "$COMP_CWORD" -eq 0 ] || before=${COMP_WORDS[COMP_CWORD - 1]}
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
            -*) ;;
            *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $before in
        --container) mapfile -t COMPREPLY < <(compgen -W "$(_gantryctl_ids)" -- "$word"); return ;;
        --level) mapfile -t COMPREPLY < <(compgen -W 'access compute' -- "$word"); return ;;
        --stress) return ;;
        --host-root | --bundle) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --runtime) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    esac
    local words
    case $command in
        '') words='list ps why explain plan probe debug --help --version' ;;
        list) words='--host-root --json --help' ;;
        ps) words='--json --help' ;;
        why) words="--json --help $(_gantryctl_ids)" ;;
        explain) words='--help' ;;
        plan) words='--bundle --host-root --json --help' ;;
        probe)
            words='--here --container --bundle --runtime --level --stress --host-root --json --help'
            ;;
        debug)
            words='--runtime --no-run --host-root --json --help'
            if [[ $word != -* ]]; then
                mapfile -t COMPREPLY < <(compgen -d -- "$word")
                return
            fi
            ;;
        *) return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# Of the containers that live; none where this user may not know.
_gantryctl_ids() { gantryctl ps --json 2>/dev/null | sed -n 's/^ *"id": "\(.*\)",$/\1/p'; }

complete -o filenames -F _gantryctl gantryctl
