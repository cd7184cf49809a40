#!/usr/bin/env bash
# Fails if a module has a forbidden import, uses an API that its privacy manifest does not declare, or claims to be
# `Sendable` without an argument, if a test sleeps, reads a clock or uses a real timer, or if a workflow calls a target
# that the Makefile does not have. It takes no arguments.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0

# forbid <message> <extended regular expression> <folder or file>... [except <folder/ or file>...]: fails for a match.
forbid() {
  local what=$1 pattern=$2 found path
  local -a where=()
  shift 2
  while [ $# -gt 0 ] && [ "$1" != except ]; do where+=("$1"); shift; done
  found=$(grep -rnE --include='*.swift' --include='*.[ch]' -- "$pattern" "${where[@]}" || true)
  # An exception must be necessary. Otherwise it would hide later mistakes in that file.
  for path in "${@:2}"; do
    grep -q "^$path" <<<"$found" || { printf '%s: needs no exception: %s\n' "$path" "$what" >&2; failed=1; }
    found=$(grep -v "^$path" <<<"$found" || true)
  done
  [ -z "$found" ] && return
  printf '%s:\n%s\n' "$what" "$found" >&2
  failed=1
}

# imports <module>...: matches `public import struct Foundation.Data` and `import FoundationEssentials` alike.
imports() { echo "^[^/]*\bimport ([a-z]+ )?($(IFS='|'; echo "$*"))([A-Z.]|[[:space:]]|$)"; }

# words <word>...: matches any of them as a whole word.
words() { echo "\b($(IFS='|'; echo "$*"))\b"; }

forbid "PromiseCore must run without Dispatch and Foundation" "$(imports Dispatch Foundation Glibc Darwin)" \
  Sources/PromiseCore
forbid "PromiseContexts, PromiseCombinators and PromiseRecording must not bring Foundation" "$(imports Foundation)" \
  Sources/PromiseContexts Sources/PromiseCombinators Sources/PromiseRecording

while read -r path; do
  grep -qE '//.*`@unchecked' "$path" && continue
  printf '%s: says `@unchecked Sendable`, and not why that is true: `@unchecked Sendable`: ...\n' "$path" >&2
  failed=1
done < <(grep -rl '@unchecked Sendable' Sources)

# Apple's list of APIs that need a reason, as of 2024. The file attributes are those of URLResourceKey and
# FileAttributeKey.
forbid "PrivacyInfo.xcprivacy says that nothing with a required reason is used: add it there, with the reason" "$(
  words systemUptime mach_absolute_time UserDefaults activeInputModes '(creation|modification|fileModification)Date' \
    '(creationDate|contentModificationDate)Key' 'volume(Available|Total)Capacity\w*' 'system(Free)?Size' \
    'f?getattrlist(bulk|at)?'
)|\b[fl]?stat(at|fs|vfs)?[[:space:]]*\(" Sources
python3 - Sources/PromiseCore/PrivacyInfo.xcprivacy <<'END' || failed=1
import plistlib, sys
nothing = dict.fromkeys(["NSPrivacyTrackingDomains", "NSPrivacyCollectedDataTypes", "NSPrivacyAccessedAPITypes"], [])
if plistlib.load(open(sys.argv[1], "rb")) != nothing | {"NSPrivacyTracking": False}:
    sys.exit(f"{sys.argv[1]}: says that something is tracked, collected or accessed")
END

# `clock.sleep` is allowed, because it is the clock of a TestWorld; real clocks are refused below. The excepted file is
# never run, because it must not compile.
forbid "tests do not sleep: run handlers in a TestWorld or with a ManualContext, or wait at a Gate" \
  "(^|[^.[:alnum:]_]|[^k?]\.)(sleep|usleep|nanosleep|asyncAfter)[[:space:]]*\(" Tests \
  except Tests/TypeCheck/Refused/guesses-combine.swift

# On a busy machine, a test that reads a clock fails without a defect. The exceptions:
#
# - BoundedTrait: reports a hang after five minutes. Otherwise no test passes or fails by its duration.
# - Gate: waits for ten minutes, then stops the process with the name of the hanging test.
# - TestClockTests: uses the clock of a world.
# - ObjectiveC: declares the members of Apple's `ProcessInfo` that the sources use, and runs nothing.
# - Fakes: fakes the activities of Apple's `ProcessInfo`, which have no time.
forbid "tests look at no clock: make the time an argument (TestWorld), or the order certain (ManualContext, Gate)" \
  "\.now\b|\bDate\(\)|\b(time|clock)\((nil|NULL|0)?\)|\bmeasure(Metrics)?[[:space:]]*[({]|\.timeLimit\(|$(
    words ContinuousClock SuspendingClock UTCClock DispatchTime DispatchWallTime Stopwatch ProcessInfo systemUptime \
      uptimeNanoseconds timeIntervalSinceNow CFAbsoluteTimeGetCurrent CACurrentMediaTime clock_gettime timespec_get \
      gettimeofday mach_absolute_time mach_continuous_time
  )" Tests except Tests/TestSupport/Gate.swift Tests/TestSupport/BoundedTrait.swift \
  Tests/PromiseTestingTests/TestClockTests.swift Tests/TypeCheck/Apple/Stubs/ObjectiveC.swift \
  Tests/AppleBranchTests/Fakes.swift

# These timers wait for real time, so a test could use one as a clock. The exceptions:
#
# - DispatchTimersTests: tests these timers, independently of the speed of time.
# - WorldTests: asks which timers exist, and starts none.
# - Exception: names them as cases that the table of leaks leaves to DispatchTimersTests.
# - ProgramRun: kills a hanging program.
# - Programs: test that the timers' thread wakes each kind of main thread.
forbid "tests use no real timers: give them the clock of a TestWorld, or ring a TimerQueue" \
  "\bDispatchTimers\b|\bTimerContext = \.dispatch\b|$(words makeTimerSource scheduledTimer)\(" Tests \
  except Tests/PromiseContextsTests/Timers/DispatchTimersTests.swift Tests/PromiseTestingTests/WorldTests.swift \
  Tests/LeakTests/Exception.swift Tests/ProgramTests/ProgramRun.swift Tests/Programs/

while read -r target; do
  grep -q "^$target:" Makefile && continue
  printf '.github/workflows: the Makefile has no target %s\n' "$target" >&2
  failed=1
done < <(sed -nE 's/.*(run: make |target: )//p' .github/workflows/* | tr -d '[],{}"' | xargs -n 1 |
  grep -xE '[a-z]+(-[a-z]+)*' | sort -u)

exit $failed
