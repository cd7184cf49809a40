#!/usr/bin/env bash
# Runs the long proofs, which take minutes to hours each. CI runs the short forms of some.
# A comment after ## says what a proof does. Without an argument, all run except the load, the mutations and the smaller
# builds, with `all` all of them, both with their defaults. Then the figures of Docs/Reliability.md are printed.
# Make passes the filters that separate the suites as STRESS, REQUESTS and REGISTER.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${STRESS:?not set: run make proof}" "${REQUESTS:?not set: run make proof}" "${REGISTER:?not set: run make proof}"
swift=${SWIFT:-swift}
settings=$PWD/Scripts/Settings

# parts <option of swift test>...: runs all tests, in the parts that must not run beside each other. A failure does not
# keep the other parts from running.
parts() {
  local status=0
  # Builds, too.
  "$swift" test list "$@" || return
  set -- --skip-build "$@"
  "$swift" test "$@" --skip "$STRESS" --skip "$REQUESTS" --skip "$REGISTER" || status=$?
  "$swift" test "$@" --filter "$REQUESTS" --skip "$REGISTER" || status=$?
  "$swift" test "$@" --no-parallel --filter "$REGISTER" || status=$?
  "$swift" test "$@" --filter "$STRESS" || status=$?
  return "$status"
}

# quick <option of swift test>...: runs the quick tests, optimised. -Osize allocates more, so nothing is counted.
quick() {
  export PROMISE_TESTS=quick
  "$swift" test -c release "$@" --parallel --skip "$STRESS" --skip "$REQUESTS" --skip "$REGISTER" \
    --skip '^AllocationTests\.'
  "$swift" test -c release "$@" --parallel --skip-build --filter "$REQUESTS" --skip "$REGISTER"
  "$swift" test -c release "$@" --skip-build --no-parallel --filter "$REGISTER"
}

stress() { ## the stress suite at full length, debug and release
  export PROMISE_STRESS=full
  export SWIFT_BACKTRACE=${BACKTRACE:?not set: run make proof}=all
  local status=0
  "$swift" test --filter "$STRESS" || status=$?
  "$swift" test -c release --filter "$STRESS" || status=$?
  return "$status"
}

# limited <seconds> <command>...: runs the command. After so many seconds, kills it and all processes that it has
# started. They are in one session, but in several process groups, because `swift test` gives the test process a group
# of its own. Therefore `timeout` does not suffice. macOS has no setsid, so there the time is not limited.
limited() {
  local end=$((SECONDS + $1))
  shift
  if ! command -v setsid >/dev/null; then
    "$@"
    return
  fi
  # Bash lets background commands ignore SIGINT and SIGQUIT.
  setsid env --default-signal=INT,QUIT "$@" </dev/null &
  local session=$!
  # Also ends the session if this script is interrupted.
  trap "pkill -KILL -s $session || true" EXIT
  while kill -0 "$session" 2>/dev/null; do
    if ((SECONDS >= end)); then
      echo "hangs, and is killed: $*" >&2
      pkill -KILL -s "$session" || true
      break
    fi
    sleep 1
  done
  trap - EXIT
  wait "$session"
}

# The number limits the programs with one thread, and the time limits the programs with several threads. Debug builds
# count more references, so objects are deallocated in a different order.
soak() { ## [programs [seconds [seed [debug]]]] random programs, compared with the model
  local programs=${1:-1000000}
  local seconds=${2:-600}
  local seed=${3:-$RANDOM}
  local configuration=${4:-release}
  local status=0
  local options=(-c "$configuration" --scratch-path .build/soak)
  local stop=.build/soak/stop
  local last=.build/soak/last
  export TEST_TARGETS=StressTests EXAMPLES=none
  "$swift" build --build-tests "${options[@]}"
  rm -f "$stop" "$last"
  # Tests read no clock, so this script measures the time. The subshell writes nothing, so that it does not keep
  # the pipe of its caller open, and ends soon after the script.
  (
    end=$((SECONDS + seconds))
    while kill -0 $$ && ((SECONDS < end)); do sleep 1; done
    ! kill -0 $$ || touch "$stop"
  ) >/dev/null 2>&1 &
  local timer=$!
  # A defect could use up all memory of the machine.
  ulimit -v $((16 << 20)) 2>/dev/null || true
  # Kills a run that hangs, and prints its current program. A program that does not hang ends within a minute.
  export PROMISE_SOAK=$programs PROMISE_SOAK_SEED=$seed PROMISE_SOAK_STOP=$PWD/$stop PROMISE_SOAK_LAST=$PWD/$last
  limited $((seconds + 60)) "$swift" test --skip-build "${options[@]}" --filter SoakTests || status=$?
  kill "$timer" 2>/dev/null || true
  if ((status != 0)) && [ -e "$last" ]; then
    echo "The last program of several threads: $(cat "$last")"
  fi
  return "$status"
}

# An hour by default. The picture .build/load/load.svg shows the figures over time, and the script that draws it says by
# which criterion they are judged. With `publish` before the seconds, the picture is Docs/Pictures/load.svg, which
# Docs/Reliability.md shows. With `hard`, the loads run under one fault after another, and a line is printed for each.
# The variables would remove targets of the library.
load() { ## [[publish] [seconds [option value...]] | hard] a million live promises, all modules (needs SwiftNIO)
  local picture=.build/load/load.svg
  if [ "${1-}" = publish ]; then
    picture=Docs/Pictures/load.svg
    shift
  fi
  local seconds=${1:-3600}
  local build=("$swift" build -c release --package-path Benchmarks/Load --scratch-path .build/load)
  local figures=.build/load/figures.csv
  local status=0
  local program fault text
  unset TEST_TARGETS EXAMPLES
  "${build[@]}"
  program=$("${build[@]}" --show-bin-path)/Load
  if [ "$seconds" = hard ]; then
    for fault in descriptors memory core stopped blocked threads clock; do
      text=.build/load/$fault.txt
      # Kills a run that hangs.
      if limited 120 "$program" --fault "$fault" --seconds 15 --promises 100000 >"$text" 2>&1; then
        echo "$fault: nothing is lost or left"
      else
        echo "$fault: FAILED"
        grep -a '^failed: ' "$text" || tail -n 20 "$text"
        status=1
      fi
    done
    return "$status"
  fi
  rm -f "$figures"
  "$program" --seconds "$seconds" --file "$figures" "${@:2}"
  Scripts/draw-load.py "$figures" --picture "$picture"
}

models() { ## [--short] [model...] the models of the engine's protocols (needs spin)
  Scripts/verify-models.sh "$@"
}

memory() { ## [ordering [part]] the memory orderings, against the memory model of C11
  Scripts/verify-memory.py "$@"
}

# Each sanitizer has its own build folder, so that its products and those of other builds do not replace each other.
tsan() { ## [--short] the suite under ThreadSanitizer, at full length in release; --short: only the races, fewer rounds
  export TSAN_OPTIONS="suppressions='$settings/ThreadSanitizer.txt'"
  local options=(--sanitize=thread --scratch-path .build/tsan)
  if [ "${1-}" = --short ]; then
    # Omits the chains and loops of a million links, which take minutes under the sanitizer and use few threads.
    export OPTIMIZED_TESTS=none TEST_TARGETS=StressTests,PromiseTestingTests EXAMPLES=none
    "$swift" test -c release "${options[@]}" --filter '(Race|Storm|Pool|ThreadsOfWorld)Tests'
    return
  fi
  local status=0
  # At full length, the stress suite needs more than an hour and a half here, and less when it is optimised.
  parts "${options[@]}" || status=$?
  export PROMISE_STRESS=full
  parts -c release "${options[@]}" || status=$?
  return "$status"
}

# Apple's runtime has no leak detection. XCTest itself leaks on Linux, so it is disabled; no test here uses XCTest. The
# quarantine is small, because some tests measure the memory of the process. These tests are skipped:
# - ProgramTests, because the programs that they start exit without releasing their objects, which the sanitizer reports
#   as leaks
# - PayloadTests, because their recursion needs more stack under the sanitizer
# - ExitedThreadTests, because Swift does not unwind handlers that exit their thread, so the marks of their frames stay
#   on the stack
# - two tests of long outputs and bodies, because the sanitizer's own memory counts.
# The test of chains of bags compares addresses of stack frames. So it runs without the check for uses after return,
# which allocates them elsewhere.
asan() { ## the suite under AddressSanitizer, on Linux with leak detection
  local options=(--disable-xctest --sanitize=address --scratch-path .build/asan)
  local leaks=0
  local status=0
  local skipped='ExitedThreadTests|PayloadTests|CommandOutputTests/memory|StreamPaceTests/memory|^ProgramTests'
  local apart='^GuideTests\.BagTests'
  [ "$(uname)" != Linux ] || leaks=1
  export LSAN_OPTIONS="suppressions='$settings/LeakSanitizer.txt':print_suppressions=0"
  export ASAN_OPTIONS=detect_leaks=$leaks:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
  ASAN_OPTIONS+=":suppressions='$settings/AddressSanitizer.txt'"
  # Builds, too.
  ASAN_OPTIONS=detect_leaks=0 "$swift" test list "${options[@]}" || return
  options=(--skip-build "${options[@]}")
  "$swift" test "${options[@]}" --skip "$STRESS" --skip "$REQUESTS" --skip "$REGISTER" --skip "$skipped" ||
    status=$?
  "$swift" test "${options[@]}" --filter "$REQUESTS" --skip "$apart|$skipped" --skip "$REGISTER" || status=$?
  "$swift" test "${options[@]}" --no-parallel --filter "$REGISTER" || status=$?
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0 \
    "$swift" test "${options[@]}" --filter "$apart" || status=$?
  "$swift" test "${options[@]}" --filter "$STRESS" --skip "$skipped" || status=$?
  return "$status"
}

# Uses the tools of the same toolchain, because each compiler has its own profile format.
coverage() { ## [option...] how many lines of each file the tests run; .build/coverage/html shows them
  local options=(--enable-code-coverage --scratch-path .build/coverage)
  local bin binary tools
  "$swift" test "${options[@]}" --no-parallel "$@"
  bin=$("$swift" build --show-bin-path "${options[@]}")
  binary=$(echo "$bin"/*.xctest)
  [ ! -d "$binary" ] || binary+=/Contents/MacOS/swift-promisesPackageTests
  tools=$(dirname "$(command -v "$swift")")
  if [ -x "$tools/llvm-cov" ]; then
    tools+=/
  else
    tools="xcrun "
  fi
  local what=(-instr-profile "$bin/codecov/default.profdata" "$binary" Sources)
  ${tools}llvm-cov report "${what[@]}"
  ${tools}llvm-cov show -format=html -output-dir .build/coverage/html "${what[@]}"
}

# Begins anew, because mutations in functions that are emitted into clients have survived in a build that was kept.
mutants() { ## [--check] [which...] breaks the library in small ways; a test must fail each time; --check: only compiles
  rm -rf .build/mutants/debug
  Scripts/mutate.py "$@"
}

planted() { ## [which...] lets the random programs look for the planted faults, a part of the mutations
  Scripts/mutate.py --random "$@"
}

orderings() { ## [which...] the same for weakened orderings, under ThreadSanitizer
  Scripts/mutate.py --tsan "$@"
}

unchecked() { ## the quick tests, without the checks for overflow and bounds
  quick -Xswiftc -Ounchecked --scratch-path .build/unchecked
}

# All flags of Docs/Reference/SmallerPrograms.md.
frontend=(-Xswiftc -Xfrontend -Xswiftc)
small=("${frontend[@]}" -function-sections "${frontend[@]}" -internalize-at-link -Xswiftc -Osize -Xswiftc -use-ld=lld
  -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs)
smaller() { ## the quick tests, built as Docs/Reference/SmallerPrograms.md says (Linux)
  quick "${small[@]}" --scratch-path .build/smaller
}
smallest() { ## the same, without unwinding tables
  quick "${small[@]}" -Xlinker -T -Xlinker "$settings/without-unwinding.ld" --scratch-path .build/smallest
}

# figures: prints a row for each proof that has run, with the lines of its output that hold its result.
figures() {
  local telling='Test run with [0-9]+ tests? |^Soak|^all [0-9]+ as expected|^[0-9]+ (operations|litmus|killed)|^TOTAL'
  printf '\n%s, %s, %s\n\n| proof | seconds | result |\n| --- | --: | --- |\n' \
    "$(git rev-parse --short HEAD)" "$(uname -sm)" "$(date -u +%F)"
  for proof in "$@"; do
    printf '| %s | %s | %s |\n' "$proof" "$(cat "$logs/$proof.seconds")" \
      "$({ grep -aE "$telling" "$logs/$proof" || echo 'no figure'; } | sed 's/^[✔✘] //' | paste -sd '~' - | sed 's/~/<br>/g')"
  done
}

# In this order, so that the proof that finds most comes first.
most=(memory models soak tsan stress asan unchecked coverage)
all=("${most[@]}" load mutants planted orderings smaller smallest)
logs=.build/proof
if [ $# -eq 0 ] || [ "$1" = all ]; then
  [ $# -gt 0 ] || all=("${most[@]}")
  mkdir -p "$logs"
  # Each runs in a process of its own, because some export variables. A failure does not keep the others from running.
  failed=()
  for proof in "${all[@]}"; do
    printf '\n== %s\n' "$proof"
    began=$SECONDS
    "$0" "$proof" 2>&1 | tee "$logs/$proof" || failed+=("$proof")
    echo $((SECONDS - began)) >"$logs/$proof.seconds"
  done
  figures "${all[@]}"
  printf '\n== %d of %d proofs failed: %s\n' ${#failed[@]} ${#all[@]} "${failed[*]-none}"
  [ ${#failed[@]} -eq 0 ]
elif [[ " ${all[*]} " == *" $1 "* ]]; then
  "$@"
else
  awk -F '[(].*## ' '/^[a-z]+[(].*## / { printf "  %-10s %s\n", $1, $2 }' "$0"
  [ "$1" = help ]
fi
