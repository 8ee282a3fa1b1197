#!/bin/sh
# life.sh RUNTIME BUNDLE ID: the verbs of one container's life, as an engine calls them.
set -e
"$1" create --bundle "$2" --pid-file "$2/pid" "$3" </dev/null
"$1" start "$3"
# A delete before the process has gone waits in steps of 100 ms.
while kill -0 "$(cat "$2/pid")" 2>/dev/null; do :; done
"$1" delete "$3"
