#!/usr/bin/env bash
# Fails if the package has a dependency, if a module has a forbidden import, uses an API that its privacy manifest does
# not declare, or if a test sleeps, reads a clock or uses a real timer.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0

# report <message> <lines>: fails with the message, unless there are no lines.
report() {
  [ -z "$2" ] && return
  printf '%s:\n%s\n' "$1" "$2" >&2
  failed=1
}

# forbid <message> <extended regular expression> "<folder>..." [<excepted file or folder/>...]: fails for a match.
forbid() {
  local message=$1
  local found path
  # Status 1 means that nothing matches. A higher status is an error, with which the script ends.
  found=$(grep -rnE --include='*.swift' --include='*.[ch]' -- "$2" $3) || [ $? -eq 1 ]
  # An exception must be necessary. Otherwise it would hide later mistakes in that file.
  for path in "${@:4}"; do
    grep -q "^$path" <<<"$found" || report "$path: needs no exception" "$message"
    found=$(grep -v "^$path" <<<"$found") || [ $? -eq 1 ]
  done
  report "$message" "$found"
}

# any <regular expression>...: matches any of them.
any() {
  local IFS='|'
  echo "($*)"
}

# imports <module>...: matches `public import struct Foundation.Data` and `import FoundationEssentials` alike.
imports() { echo "^[^/]*\bimport ([a-z]+ )?$(any "$@")([A-Z.]|[[:space:]]|$)"; }

# words <word>...: matches any of them as a whole word.
words() { echo "\b$(any "$@")\b"; }

forbid "PromiseCore must run without Dispatch and Foundation" "$(imports Dispatch Foundation Glibc Darwin)" \
  Sources/PromiseCore
forbid "only these modules may bring Foundation" "$(imports Foundation)" Sources \
  Sources/PromiseFoundation/ Sources/PromiseHTTP/ Sources/PromiseProcesses/ Sources/PromiseWaiting/ \
  Sources/PromiseTesting/
forbid "PromiseCombinators and PromiseGates must not know each other" "$(imports PromiseCombinators PromiseGates)" \
  "Sources/PromiseCombinators Sources/PromiseGates"
forbid "Package.swift must name no other package" '\.package\(' Package.swift

# Apple's list of APIs that need a reason, as of 2024. The file attributes are those of URLResourceKey and
# FileAttributeKey.
forbid "PrivacyInfo.xcprivacy says that nothing with a required reason is used: add it there, with the reason" "$(
  words systemUptime mach_absolute_time UserDefaults activeInputModes '(creation|modification|fileModification)Date' \
    '(creationDate|contentModificationDate)Key' 'volume(Available|Total)Capacity\w*' 'system(Free)?Size' \
    'f?getattrlist(bulk|at)?'
)|\b[fl]?stat(at|fs|vfs)?[[:space:]]*\(" Sources

# `clock.sleep` is allowed, because it is the clock of a TestWorld; real clocks are refused below. The excepted file is
# never run, because it must not compile.
forbid "tests do not sleep: run handlers in a TestWorld or with a ManualContext, or wait at a Gate" \
  "(^|[^.[:alnum:]_]|[^k?]\.)(sleep|usleep|nanosleep|asyncAfter)[[:space:]]*\(" Tests \
  Tests/TypeCheck/Refused/guesses-combine.swift

# On a busy machine, a test that reads a clock fails without a defect.
harmless_clocks=(
  Tests/TestSupport/BoundedTrait.swift           # Reports a hang after half an hour. Other tests have no time limit.
  Tests/TestSupport/Gate.swift                   # After half an hour, stops the process and names the hanging test.
  Tests/TestSupport/HangLimit.swift              # After half an hour, ends a wait that hangs.
  Tests/PromiseTestingTests/TestClockTests.swift # Uses the clock of a world.
  Tests/TypeCheck/Apple/Stubs/ObjectiveC.swift   # Declares members of Apple's `ProcessInfo`, and runs nothing.
  Tests/AppleBranchTests/Fakes.swift             # Fakes the activities of Apple's `ProcessInfo`, which have no time.
)
forbid "tests look at no clock: make the time an argument (TestWorld), or the order certain (ManualContext, Gate)" \
  "\.now\b|\bDate\(\)|\b(time|clock)\((nil|NULL|0)?\)|\bmeasure(Metrics)?[[:space:]]*[({]|\.timeLimit\(|$(
    words ContinuousClock SuspendingClock UTCClock DispatchTime DispatchWallTime Stopwatch ProcessInfo systemUptime \
      uptimeNanoseconds timeIntervalSinceNow CFAbsoluteTimeGetCurrent CACurrentMediaTime clock_gettime timespec_get \
      gettimeofday mach_absolute_time mach_continuous_time
  )" Tests "${harmless_clocks[@]}"

# These timers wait for real time, so a test could use one as a clock.
harmless_timers=(
  Tests/PromiseContextsTests/Timers/DispatchTimersTests.swift # Tests them, independently of the speed of time.
  Tests/PromiseTestingTests/WorldTests.swift       # Asks which timers exist, and starts none.
  Tests/LeakTests/Exception.swift                  # Names them as cases that it leaves to DispatchTimersTests.
  Tests/ProgramTests/ProgramRun.swift              # Kills a hanging program.
  Tests/PromiseProcessesTests/CommandFaultTests.swift # A timer outlives a stop of the process, whenever it rings.
  Tests/Programs/                                  # Test that the timers' thread wakes each kind of main thread.
  Tests/GuideTests/Recipes/SystemEventsTests.swift # Compiles a call in a recipe, and does not run it.
)
forbid "tests use no real timers: give them the clock of a TestWorld, or ring a TimerQueue" \
  "\bDispatchTimers\b|\bTimerContext = \.dispatch\b|$(words makeTimerSource scheduledTimer)\(" Tests \
  "${harmless_timers[@]}"

exit $failed
