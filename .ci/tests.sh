# shellcheck shell=sh disable=SC2154,SC2034 # shares its variables and functions with ../bootstrap
# Runs each test in a process of its own, one more at once than there are processors, as tests of windows often wait, and times
# it: libtest tells times only on a nightly toolchain, and one queue for the tests of all binaries and drivers keeps every
# processor busy to the end.

# Builds all targets of the workspace with lints and documentation checked (.ci/lint), and lists the tests in $work/known: the
# number of the test's binary, its name, the test, and "quick", or "long" where the test is marked #[ignore = "long: ..."].
build_tests() {
    # Tests of the Python module are in Python: crates/starlings-py. Benches are built, and not run.
    # shellcheck disable=SC2086 # words, or empty
    cargo test $optimized --locked --workspace --all-targets --no-run --message-format=json-render-diagnostics >"$work/built" || return 1
    grep -v '"kind":\["bench"\]' "$work/built" |
        sed -n 's|.*"manifest_path":"\([^"]*\)/Cargo.toml".*"target":{[^}]*"name":"\([^"]*\)".*"profile":{[^}]*"test":true}.*"executable":"\([^"]*\)".*|\2\n\1\n\3|p' \
            >"$work/binaries"
    number=0
    while read -r name && read -r folder && read -r binary; do
        number=$((number + 1))
        printf '%s\n%s\n' "$folder" "$binary" >"$work/binary-$number"
        (cd "$folder" && "$binary" --list --ignored --format terse) | sed -n 's/: test$//p' >"$work/ignored"
        (cd "$folder" && "$binary" --list --format terse) | sed -n 's/: test$//p' |
            awk -v number="$number" -v name="$name" -v file="$work/ignored" '
                BEGIN { while ((getline test <file) > 0) ignored[test] = 1 }
                { print number, name, $0, $0 in ignored ? "long" : "quick" }'
    done <"$work/binaries" >"$work/known"
    [ -s "$work/known" ] || { echo 'no tests were built' && return 1; }
}

# Queues a group of tests, to run with the environment of now: title, a pattern that "binary test" must match, one that it
# must also match in the quick run, and one that it must not match.
queue() {
    group=$((${group:-0} + 1))
    printf '%s\n' "$1" >"$work/group-$group"
    export -p >"$work/environment-$group"
    awk -v group="$group" -v all="$2" -v quick="$3" -v without="${4:-^$}" -v long="$long" -v left="$work/left" '
        { name = $2 " " $3 }
        name !~ all || name ~ without { next }
        long || ($4 == "quick" && name ~ quick) { print group, $1, $3; next }
        { print group >>left }' "$work/known" >>"$work/queue"
}

# Runs what is queued. Adds the groups and the ten slowest tests to the summary; target/test-times has all of them.
run_queue() {
    : >"$work/times"
    failed=0
    # The last groups first: few and long, they would end alone.
    sort -s -k 1,1nr "$work/queue" >"$work/ordered"
    xargs -P $(($(getconf _NPROCESSORS_ONLN) + 1)) -n 3 sh "$root/.ci/one" "$work" <"$work/ordered" || failed=1
    mkdir -p "$root/target"
    sort -rn "$work/times" >"$root/target/test-times"
    touch "$work/left"
    for number in $(seq "$group"); do
        awk -v title="$(cat "$work/group-$number")" -v number="$number" -v left="$work/left" '
            BEGIN { while ((getline of <left) > 0) out += of == number }
            $2 == number { seconds += $1; if ($3) failed++; else passed++ }
            END {
                printf "  %-50s %5d s  %d passed, %d failed, %d only in --long\n", title, seconds, passed, failed, out
                exit !passed
            }' "$work/times" >>"$work/summary" || { echo 'a group in which not one test passed' && failed=1; }
    done
    {
        echo 'the ten slowest tests'
        head -n 10 "$root/target/test-times" | while read -r seconds number _ name; do
            printf '  %7.1f s  %s (%s)\n' "$seconds" "$name" "$(cat "$work/group-$number")"
        done
    } >>"$work/summary"
    skipped=$(grep -l '^SKIPPED' "$work"/log-* 2>/dev/null | wc -l)
    if [ "$skipped" != 0 ]; then echo "$skipped tests SKIPPED a part or all for what is not installed here" >>"$work/summary"; fi
    awk '{ if ($3) f++; else p++ } END { printf "test result: %d passed; %d failed; 0 ignored\n", p, f }' "$work/times" |
        sed 's/result:/& all./'
    return "$failed"
}
