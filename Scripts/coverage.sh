#!/usr/bin/env bash
# Lists the lines of the library that no test runs. Usage: `make coverage`, or `coverage.sh <filter>` for some tests.
# Writes .build/coverage/lines.txt with each module and each line that was not run.
#
# Fails if a test fails, if a line that was not run has no excuse in Tests/uncovered.txt, or if an excuse is
# unnecessary. With a filter, fails only if a test fails or an excuse matches no line. Make passes the filters that
# separate the suites as STRESS and REQUESTS.
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift} folder=.build/coverage status=0
options=(--enable-code-coverage --scratch-path "$folder")
if [ $# -eq 0 ]; then : "${STRESS:?not set: make coverage}" "${REQUESTS:?not set: make coverage}"; fi

"$swift" build --build-tests "${options[@]}"
bin=$("$swift" build --show-bin-path "${options[@]}")
rm -rf "$folder/profiles"
mkdir -p "$folder/profiles"

# part <option for swift test>...: runs these tests and moves their profiles away, because the next run would delete
# them.
part() {
  "$swift" test --skip-build "${options[@]}" "$@" || status=$?
  mv "$bin"/codecov/*.profraw "$folder/profiles"
}
if [ $# -gt 0 ]; then
  part --filter "$1"
else
  # Runs the same parts as `make test-all`, because tests that race or switch diagnostics would affect other tests.
  part --skip "$STRESS" --skip "$REQUESTS"
  part --filter "$REQUESTS"
  part --filter "$STRESS"
fi

# Uses the tools of the same toolchain, because each compiler has its own profile format.
tools=$(dirname "$(command -v "$swift")")
if [ -x "$tools/llvm-cov" ]; then tools+=/; else tools="xcrun "; fi
${tools}llvm-profdata merge -sparse "$folder"/profiles/*.profraw -o "$folder/all.profdata"
binaries=("$bin"/*.xctest)
if [ -d "${binaries[0]}" ]; then binaries=("${binaries[@]/%//Contents/MacOS/PromisesPackageTests}"); fi
${tools}llvm-cov export -format=lcov -instr-profile "$folder/all.profdata" "${binaries[0]}" Sources >"$folder/lines.lcov"
Scripts/uncovered.py ${1:+--part} <"$folder/lines.lcov" >"$folder/lines.txt" || status=$?
sed -n '/^$/q;p' "$folder/lines.txt"
exit "$status"
