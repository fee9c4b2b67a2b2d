# Shared functions of the policies' e2e.bats. kwctl evaluates a sample with the built module:
# NAME.request.json with the settings of NAME.settings.yaml, by default `{}`, and the recorded
# look-ups of NAME.session.yml. A session contains all look-ups in full and in order, so a
# different, additional or missing look-up fails the test. A sample without a session must not look
# anything up.
#
#   accepts NAME [WARNING…]                  admitted unchanged
#   mutates NAME [WARNING…] <<END            with this JSON patch, sorted, one operation per line
#   denies NAME <<END                        denied with exactly this message
#   cannot_evaluate NAME <<END                  denied as a fault if the first look-up fails
#   annotates KEY VALUE                      the last verdict has this audit annotation
#   refuses SETTINGS <<END                   rejects the JSON settings with exactly this message
#   tests_every_sample                       every sample has a test in the file

bats_require_minimum_version 1.5.0

policy=$BATS_TEST_DIRNAME
module=$policy/../../target/policies/$(basename "$policy").wasm

# Caches go into the folder of this run. kwctl would write backtraces into messages.
quiet_kwctl() {
    HOME=$BATS_RUN_TMPDIR RUST_BACKTRACE=0 NO_COLOR=1 kwctl "$@" 2>"$BATS_TEST_TMPDIR/log"
}

# same WHAT WANTED GOT
same() {
    [ "$2" = "$3" ] || {
        printf '%s: wanted\n%s\ngot\n%s\n' "$1" "$2" "$3"
        return 1
    }
}

# evaluate NAME [SESSION]: stores the answer in $verdict.
evaluate() {
    local sample=$policy/samples/$1 session=${2:-$policy/samples/$1.session.yml}
    set -- --request-path "$sample.request.json"
    if [ -e "$sample.settings.yaml" ]; then set -- "$@" --settings-path "$sample.settings.yaml"; fi
    if [ -e "$session" ]; then
        set -- "$@" --allow-context-aware --replay-host-capabilities-interactions "$session"
    fi
    verdict=$(quiet_kwctl run "$@" "$module") || {
        cat "$BATS_TEST_TMPDIR/log"
        return 1
    }
    if grep 'have not been replayed' "$BATS_TEST_TMPDIR/log"; then return 1; fi
}

# says FILTER WANTED: compares a field of the last verdict
says() { same "$1" "$2" "$(jq -rcS "$1" <<<"$verdict")"; }

# admitted NAME PATCH [WARNING…]
admitted() {
    evaluate "$1"
    says .allowed true
    says '.status.message // ""' ''
    says '.patch // "W10=" | @base64d | fromjson[]' "$2"
    shift 2
    says '.warnings // [] | .[]' "$(printf '%s\n' "$@")"
}

accepts() { admitted "$1" '' "${@:2}"; }

mutates() { admitted "$1" "$(cat)" "${@:2}"; }

annotates() { says ".auditAnnotations[\"$1\"]" "$2"; }

# denied CODE NAME [SESSION]: the message is on standard input
denied() {
    evaluate "${@:2}"
    says .status.message "$(cat)"
    says .status.code "$1"
    says .allowed false
    says '.patch // ""' ''
}

denies() { denied 403 "$1"; }

cannot_evaluate() {
    local session=$BATS_TEST_TMPDIR/fails.yml
    sed -n '1,/^  response:/p' "$policy/samples/$1.session.yml" >"$session"
    printf '    type: Error\n    message: no route to host\n' >>"$session"
    denied 500 "$1" "$session"
}

refuses() {
    local requests=("$policy"/samples/*.request.json) status=0
    quiet_kwctl run --request-path "${requests[0]}" --settings-json "$1" "$module" || status=$?
    same status 1 "$status"
    same message "Error: Provided settings are not valid: $(cat)" "$(grep ^Error: "$BATS_TEST_TMPDIR/log")"
}

tests_every_sample() {
    local file
    same samples \
        "$(for file in "$policy"/samples/*.request.json; do basename "$file" .request.json; done | sort)" \
        "$(sed -nE 's/.* (accepts|mutates|denies) ([a-z0-9-]+).*/\2/p' "$BATS_TEST_FILENAME" | sort)"
    for file in "$policy"/samples/*.cluster.yaml; do
        [ ! -e "$file" ] || [ -e "${file%.cluster.yaml}.session.yml" ]
    done
}
