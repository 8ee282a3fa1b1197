# fish completion of gantryctl(1)
function __gantryctl_of
    contains -- (commandline -opc)[2] $argv
end

complete -c gantryctl -f
complete -c gantryctl -l help -d 'Show help'
complete -c gantryctl -n __fish_use_subcommand -l version -d 'Show the version'
complete -c gantryctl -n __fish_use_subcommand -a list -d 'Show the GPUs of this host'
complete -c gantryctl -n __fish_use_subcommand -a ps -d 'Show the containers that have a GPU'
complete -c gantryctl -n __fish_use_subcommand -a why -d 'Show what became of a create'
complete -c gantryctl -n __fish_use_subcommand -a explain -d 'Explain a code, or words of a program'
complete -c gantryctl -n __fish_use_subcommand -a plan -d 'Show what would be done, and why'
complete -c gantryctl -n __fish_use_subcommand -a probe -d 'Check the GPUs now'
complete -c gantryctl -n __fish_use_subcommand -a debug -d 'Walk one bundle through every step'
complete -c gantryctl -n '__gantryctl_of list ps why plan probe debug' -l json -d 'Print JSON'
complete -c gantryctl -n '__gantryctl_of list plan probe debug' -l host-root -r -F -d 'Read the host from here'
complete -c gantryctl -n '__gantryctl_of plan probe' -l bundle -r -F -d 'Folder with config.json'
complete -c gantryctl -n '__gantryctl_of probe debug' -l runtime -r -F -d 'runc or crun'
complete -c gantryctl -n '__gantryctl_of probe' -l here -d 'On this host'
complete -c gantryctl -n '__gantryctl_of probe' -l container -x -d 'In this running container'
complete -c gantryctl -n '__gantryctl_of probe' -l level -x -a 'access compute' -d 'How far'
complete -c gantryctl -n '__gantryctl_of probe' -l stress -x -d 'Compute for so many seconds'
complete -c gantryctl -n '__gantryctl_of debug' -l no-run -d 'Stop after the difference'
complete -c gantryctl -n '__gantryctl_of debug' -F
complete -c gantryctl -n '__gantryctl_of why' \
    -a '(gantryctl ps --json 2>/dev/null | string match -rg "^ *\\"id\\": \\"(.*)\\",\$")'
