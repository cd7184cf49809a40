#!/usr/bin/env bash
# Runs the long proofs, which take minutes to hours each. CI runs the short forms of some.
#
#   proof.sh                              all proofs in the order below, with their defaults
#   proof.sh stress                       the stress suite at full length, debug and release
#   proof.sh races                        every pair of operations; .build/races.txt counts how often each came first
#   proof.sh soak [programs [seconds [seed [debug]]]]
#                                         random programs, compared with the model
#   proof.sh models [--short] [model...]  the models of the engine's protocols (needs spin)
#   proof.sh tsan [--short]               the suite under the thread sanitizer. --short: only the races, fewer rounds
#   proof.sh asan                         the suite under the address sanitizer, with leak detection on Linux
#   proof.sh coverage [filter]            each line that no test runs needs a reason in Tests/uncovered.txt
#   proof.sh mutants [which...]           breaks the library in small ways; a test must fail each time
#   proof.sh orderings [which...]         the same for weakened memory orderings, under the thread sanitizer
#   proof.sh smaller                      the quick tests, built as Docs/Reference/SmallerPrograms.md says (Linux)
#   proof.sh smallest                     the same, without unwinding tables
#   proof.sh repeat [times]               the quick tests a thousand times, which finds flaky ones
#
# Make passes the filters that separate the suites as STRESS and REQUESTS.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${STRESS:?not set: run make proof}" "${REQUESTS:?not set: run make proof}"
swift=${SWIFT:-swift}
settings=$PWD/Scripts/Settings

# parts <option of swift test>...: runs all tests, in the parts that must not run beside each other.
parts() {
  "$swift" test "$@" --skip "$STRESS" --skip "$REQUESTS"
  "$swift" test --skip-build "$@" --filter "$REQUESTS"
  "$swift" test --skip-build "$@" --filter "$STRESS"
}

# quick <option of swift test>...: runs the quick tests, optimised. -Osize allocates more, so nothing is counted.
quick() {
  export PROMISE_TESTS=quick
  "$swift" test -c release "$@" --parallel --skip "$STRESS" --skip "$REQUESTS" --skip '^AllocationTests\.'
  "$swift" test -c release "$@" --parallel --skip-build --filter "$REQUESTS"
}

stress() {
  export PROMISE_STRESS=full SWIFT_BACKTRACE=${BACKTRACE:?not set: run make proof}=all
  "$swift" test --filter "$STRESS"
  "$swift" test -c release --filter "$STRESS"
}

# Each line of the file contains the name of a race, its rounds, the rounds in which the first and the second side came
# first, and the rounds in which both sides ran at the same time. A test with arguments writes a line for each argument.
races() {
  local counts=$PWD/.build/races.txt
  rm -f "$counts"
  PROMISE_STRESS=full PROMISE_RACES=$counts TEST_TARGETS=StressTests "$swift" test -c release --filter RaceTests
  printf 'The rarest orders of %d races, with how often they occurred:\n' "$(wc -l <"$counts")"
  awk -F '\t' '{ print ($3 < $4 ? $3 : $4) "\t" $1 }' "$counts" | sort -n | sed 5q
}

# The number limits the programs with one thread, and the time limits the programs with several threads. Debug builds
# count more references, so objects are deallocated in a different order.
soak() {
  local programs=${1:-1000000} seconds=${2:-600} seed=${3:-$RANDOM} configuration=${4:-release} status=0
  local options=(-c "$configuration" --scratch-path .build/soak) stop=.build/soak/stop last=.build/soak/last
  export TEST_TARGETS=StressTests
  "$swift" build --build-tests "${options[@]}"
  rm -f "$stop"
  # Tests read no clock, so this script measures the time.
  (sleep "$seconds"; touch "$stop") &
  # A defect could use up all memory of the machine.
  ulimit -v $((16 << 20)) 2>/dev/null || true
  # Kills a run that hangs, and prints its current program. A program that does not hang ends within a minute.
  PROMISE_SOAK=$programs PROMISE_SOAK_SEED=$seed PROMISE_SOAK_STOP=$PWD/$stop PROMISE_SOAK_LAST=$PWD/$last \
    timeout --signal=KILL $((seconds + 60)) "$swift" test --skip-build "${options[@]}" --filter SoakTests || status=$?
  ((status == 0)) || echo "The last program of several threads: $(cat "$last")"
  kill $! 2>/dev/null || true
  return "$status"
}

models() { Tests/Verification/Models/verify "$@"; }

# Each sanitizer has its own build folder, so that its products and those of other builds do not replace each other.
tsan() {
  export TSAN_OPTIONS=suppressions=$settings/ThreadSanitizer.txt
  local options=(--sanitize=thread --scratch-path .build/tsan)
  if [ "${1-}" = --short ]; then
    # Omits the chains and loops of a million links, which take minutes under the sanitizer and use few threads.
    export OPTIMIZED_TESTS=none TEST_TARGETS=StressTests,PromiseTestingTests EXAMPLES=none
    "$swift" test -c release "${options[@]}" --filter '(Race|Storm|Pool|ThreadsOfWorld)Tests'
    return
  fi
  export PROMISE_STRESS=full
  parts "${options[@]}"
  parts -c release "${options[@]}"
}

# Apple's runtime has no leak detection. XCTest itself leaks on Linux, so it is disabled; no test here uses XCTest. The
# quarantine is small, because some tests measure the memory of the process. ProgramTests are skipped, because the
# programs that they start exit without releasing their objects, which the sanitizer reports as leaks. PayloadTests are
# skipped, because their recursion needs more stack under the sanitizer. The suites in `apart` run without leak
# detection, because Swift does not unwind handlers that exit their thread. They also run without the check for uses
# after return, because the test of chains of bags compares addresses of stack frames, which that check allocates
# elsewhere.
asan() {
  local options=(--disable-xctest --sanitize=address --scratch-path .build/asan) leaks=0
  local apart='^GuideTests\.BagTests|ExitedThreadTests'
  [ "$(uname)" != Linux ] || leaks=1
  export LSAN_OPTIONS=suppressions=$settings/LeakSanitizer.txt:print_suppressions=0
  export ASAN_OPTIONS=detect_leaks=$leaks:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
  ASAN_OPTIONS+=:suppressions=$settings/AddressSanitizer.txt
  "$swift" test "${options[@]}" --skip "$STRESS" --skip "$REQUESTS" --skip '^ProgramTests'
  "$swift" test --skip-build "${options[@]}" --filter "$REQUESTS" --skip "$apart"
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:detect_stack_use_after_return=0 \
    "$swift" test --skip-build "${options[@]}" --filter "$apart"
  "$swift" test --skip-build "${options[@]}" --filter "$STRESS" --skip PayloadTests
}

# With a filter, a line that no test runs is printed, but does not fail.
coverage() {
  local folder=.build/coverage status=0 bin tools part binary
  local options=(--enable-code-coverage --scratch-path "$folder") filters=("${@:-rest}")
  [ $# -gt 0 ] || filters+=("$REQUESTS" "$STRESS")
  "$swift" build --build-tests "${options[@]}"
  bin=$("$swift" build --show-bin-path "${options[@]}")
  rm -rf "$folder/profiles"
  mkdir -p "$folder/profiles"
  # Runs the parts of `parts`. Moves the profiles of each part away, because the next run would delete them.
  for part in "${filters[@]}"; do
    local which=(--filter "$part")
    [ "$part" != rest ] || which=(--skip "$STRESS" --skip "$REQUESTS")
    "$swift" test --skip-build "${options[@]}" "${which[@]}" || status=$?
    mv "$bin"/codecov/*.profraw "$folder/profiles"
  done
  # Uses the tools of the same toolchain, because each compiler has its own profile format.
  tools=$(dirname "$(command -v "$swift")")
  if [ -x "$tools/llvm-cov" ]; then tools+=/; else tools="xcrun "; fi
  ${tools}llvm-profdata merge -sparse "$folder"/profiles/*.profraw -o "$folder/all.profdata"
  binary=$(echo "$bin"/*.xctest)
  [ ! -d "$binary" ] || binary+=/Contents/MacOS/swift-promisesPackageTests
  ${tools}llvm-cov report -instr-profile "$folder/all.profdata" "$binary" Sources
  ${tools}llvm-cov export -format=lcov -instr-profile "$folder/all.profdata" "$binary" Sources >"$folder/lines.lcov"
  Scripts/uncovered.py <"$folder/lines.lcov" || [ $# -gt 0 ] || status=1
  return "$status"
}

mutants() { Scripts/mutate.py "$@"; }
orderings() { Scripts/mutate.py --tsan "$@"; }

# All flags of Docs/Reference/SmallerPrograms.md.
frontend=(-Xswiftc -Xfrontend -Xswiftc)
small=("${frontend[@]}" -function-sections "${frontend[@]}" -internalize-at-link -Xswiftc -Osize -Xswiftc -use-ld=lld
  -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs)
smaller() { quick "${small[@]}" --scratch-path .build/smaller; }
smallest() { quick "${small[@]}" -Xlinker -T -Xlinker "$settings/without-unwinding.ld" --scratch-path .build/smallest; }

# A test that fails once in a thousand runs fails somewhere every week. The stress suites and the tests of large numbers
# take minutes and repeat their own steps, so they are skipped.
repeat() {
  local times=${1:-1000} run log=.build/repeat.log
  local quick='^(PromiseTestingTests|PromiseContextsTests|PromiseCoreTests|PromisesAPlusTests|ProgramTests)\.'
  local long='(ShortLivedLink|Unobserved)Tests'
  "$swift" build --build-tests
  for ((run = 1; run <= times; run++)); do
    if ! "$swift" test --skip-build --parallel --filter "$quick" --skip "$long" >"$log" 2>&1; then
      grep -E '✘|error:|Fatal' "$log" || tail -20 "$log"
      echo "failed in run $run of $times, see $log"
      return 1
    fi
  done
}

all=(stress races soak models tsan asan coverage mutants orderings smaller smallest repeat)
if [ $# -eq 0 ]; then
  # Each runs in a process of its own, because some export variables. A failure does not keep the others from running.
  failed=()
  for proof in "${all[@]}"; do
    printf '\n== %s\n' "$proof"
    "$0" "$proof" || failed+=("$proof")
  done
  printf '\n== %d of %d proofs failed: %s\n' ${#failed[@]} ${#all[@]} "${failed[*]-none}"
  [ ${#failed[@]} -eq 0 ]
elif [[ " ${all[*]} " == *" $1 "* ]]; then
  "$@"
else
  sed -n 's/^#   //p' "$0"
  [ "$1" = help ]
fi
