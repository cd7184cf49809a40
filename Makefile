# Builds, tests and checks the package. `make` lists the targets. They work in a fresh clone and need only Swift, bash
# and Python 3; `make verify` also needs spin.

SWIFT ?= swift
WORKLOAD ?=
SUBJECT ?=
PLATFORM ?= iOS
SDK ?=
BASE ?= swift-promises
VERSION ?=
PASSED ?=
TIMES ?= 1000
PROGRAMS ?= 1000000
TIME ?= 600
SEED ?=
# Debug builds count more references, so objects are deallocated in a different order.
CONFIGURATION ?= release
ONLY ?=
# After a crash, print the crashed thread; in stress tests, all threads. Printing a thousand threads takes many minutes.
BACKTRACE := SWIFT_BACKTRACE=enable=yes,color=no,interactive=no,images=none,registers=none,threads

# The wildcard omits missing folders, so that the tools also work in a clone without Benchmarks or Docs.
FORMATTED := $(wildcard Sources Tests Benchmarks Docs) Package.swift
# Only CI treats warnings as errors, because another version of the compiler may have new warnings.
STRICT := $(if $(CI),-Xswiftc -warnings-as-errors)
# Builds the whole package, because `bench` runs and measures other programs of its package.
BENCH := $(SWIFT) build -c release --package-path Benchmarks && \
  $(SWIFT) run -c release --package-path Benchmarks --skip-build bench --output .build/bench $(if $(SUBJECT),--subject $(SUBJECT))

.DEFAULT_GOAL := help
.PHONY: help check build test test-release test-release-short test-slow test-all stress races soak coverage mutants mutants-tsan test-tsan test-tsan-short test-asan test-smaller test-smallest test-repeat verify verify-short typecheck lint \
  branches format families check-sources \
  symbols docs site api check-api bench bench-quick publish-bench test-bench example check-resolution portability try \
  ci test-simulator build-with-sdk release release-notes clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build everything (debug)
	$(SWIFT) build --build-tests

# These tests compete for the cores, measure the memory of the process, or take seconds, so they run alone.
STRESS := '^StressTests\.'

# Tests that talk to a server run separately. A request times out after a minute, and other tests may occupy all threads
# for that long. ProgramTests do not run with them, because Foundation on Linux may crash when it starts a process while
# thousands of descriptors are open (swift-corelibs-foundation, pull request 5472, fixed after Swift 6.3.1).
REQUESTS := '^(PromiseFoundation|LoopbackServer|Leak|Guide)Tests\.'

# Some tests use internal declarations, which a release build exposes only with -enable-testing.
RELEASE_TESTS := -c release --scratch-path .build/release-tests -Xswiftc -enable-testing --skip '^AllocationTests\.'

# The suites that contain a test with the trait `.slow`. A suite has the name of its file.
SLOW = '\.($(shell grep -rlE '(^|,) *\.slow\b' Tests --include='*.swift' | sed -E 's|.*/([A-Za-z]+).*|\1|' | sort -u | paste -sd '|' -))/'

check: lint check-sources test ## run all checks that a contributor needs before a commit: lint, check-sources, test

test: export PROMISE_TESTS := quick
test: ## run the quick tests (debug) and the allocation counts (release), about a minute
	$(BACKTRACE)=crashed $(SWIFT) test $(STRICT) --parallel --skip $(STRESS) --skip $(REQUESTS)
	$(BACKTRACE)=crashed $(SWIFT) test $(STRICT) --skip-build --parallel --filter $(REQUESTS)
	TEST_TARGETS=AllocationTests $(SWIFT) test -c release --scratch-path .build/counts $(STRICT) --filter AllocationTests

test-release test-release-short: export PROMISE_TESTS := quick
test-release test-release-short: export OPTIMIZED_TESTS := none
test-release-short: export TEST_TARGETS := PromiseCoreTests,LeakTests
test-release-short: export EXAMPLES := none
test-release-short: test-release ## run test-release for PromiseCoreTests and LeakTests only, as CI does
test-release: ## run the quick tests with an optimised library, four minutes
	$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --parallel --skip $(STRESS) --skip $(REQUESTS)
	$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --skip-build --parallel --filter $(REQUESTS)

test-slow: ## run the tests that `make test` omits: slow tests and the stress suite (debug)
	$(BACKTRACE)=crashed $(SWIFT) test $(STRICT) --parallel --filter $(SLOW)
	$(BACKTRACE)=all $(SWIFT) test $(STRICT) --skip-build --filter $(STRESS)

test-all: test test-slow ## run the whole suite: test, then test-slow

stress: export PROMISE_STRESS := full
stress: ## run the stress suite at full length (debug and release), half an hour or more
	$(BACKTRACE)=all $(SWIFT) test --filter $(STRESS)
	$(BACKTRACE)=all $(SWIFT) test -c release --filter $(STRESS)

races: export PROMISE_STRESS := full
races: export PROMISE_RACES := $(CURDIR)/.build/races.txt
races: ## race every pair of operations (release), and count in .build/races.txt how often each came first
	rm -f $(PROMISE_RACES)
	TEST_TARGETS=StressTests $(SWIFT) test -c release --filter 'RaceTests'
	Scripts/races.sh

soak: export SWIFT := $(SWIFT)
soak: ## compare random programs with the model: make soak PROGRAMS=1000000 TIME=600 SEED=1 CONFIGURATION=debug
	Scripts/soak.sh $(PROGRAMS) $(TIME) '$(SEED)' $(CONFIGURATION)

# Each sanitizer has its own build folder, so that its products and those of other builds do not replace each other.
test-tsan test-tsan-short: export TSAN_OPTIONS := suppressions=$(CURDIR)/Scripts/Settings/ThreadSanitizer.txt
test-tsan: export PROMISE_STRESS := full
test-tsan: ## run the whole suite under the thread sanitizer (debug and release)
	$(SWIFT) test --sanitize=thread --scratch-path .build/tsan --skip $(STRESS) --skip $(REQUESTS)
	$(SWIFT) test --skip-build --sanitize=thread --scratch-path .build/tsan --filter $(REQUESTS)
	$(SWIFT) test --skip-build --sanitize=thread --scratch-path .build/tsan --filter $(STRESS)
	$(SWIFT) test -c release --sanitize=thread --scratch-path .build/tsan --skip $(STRESS) --skip $(REQUESTS)
	$(SWIFT) test --skip-build -c release --sanitize=thread --scratch-path .build/tsan --filter $(REQUESTS)
	$(SWIFT) test --skip-build -c release --sanitize=thread --scratch-path .build/tsan --filter $(STRESS)

# Omits the chains and loops of a million links, which take minutes under the sanitizer and use few threads.
test-tsan-short: ## run all races under the thread sanitizer (release), with fewer rounds than test-tsan
	TEST_TARGETS=StressTests,PromiseTestingTests $(SWIFT) test -c release --sanitize=thread --scratch-path .build/tsan --filter '(Race|Storm|Pool|ThreadsOfWorld)Tests'

# Apple's runtime has no leak detection. XCTest itself leaks on Linux, so it is disabled; no test here uses XCTest.
# The quarantine is small, because some tests measure the memory of the process. ProgramTests are skipped, because the
# programs that they start exit without releasing their objects, which the sanitizer reports as leaks. The suites in
# APART run without leak detection, because Swift does not unwind handlers that exit their thread. They also run without
# the check for uses after return, because the test of chains of bags compares addresses of stack frames, which that
# check allocates elsewhere.
APART := '^GuideTests\.BagTests|ExitedThreadTests'
test-asan: LEAKS := $(if $(filter Linux,$(shell uname)),1,0)
test-asan: export LSAN_OPTIONS := suppressions=$(CURDIR)/Scripts/Settings/LeakSanitizer.txt:print_suppressions=0
test-asan: export ASAN_OPTIONS := detect_leaks=$(LEAKS):quarantine_size_mb=4:thread_local_quarantine_size_kb=64:suppressions=$(CURDIR)/Scripts/Settings/AddressSanitizer.txt
test-asan: ## run the suite under the address sanitizer, with leak detection on Linux
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/asan --skip $(STRESS) --skip $(REQUESTS) --skip '^ProgramTests'
	$(SWIFT) test --skip-build --disable-xctest --sanitize=address --scratch-path .build/asan --filter $(REQUESTS) --skip $(APART)
	ASAN_OPTIONS=$(ASAN_OPTIONS):detect_leaks=0:detect_stack_use_after_return=0 $(SWIFT) test --skip-build --disable-xctest --sanitize=address --scratch-path .build/asan --filter $(APART)
	$(SWIFT) test --skip-build --disable-xctest --sanitize=address --scratch-path .build/asan --filter $(STRESS)

# All flags of Docs/Reference/SmallerPrograms.md. AllocationTests are skipped, because -Osize allocates more.
FRONTEND := -Xswiftc -Xfrontend -Xswiftc
SMALLER := $(FRONTEND) -function-sections $(FRONTEND) -internalize-at-link -Xswiftc -Osize \
  -Xswiftc -use-ld=lld -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
test-smaller: export PROMISE_TESTS := quick
test-smaller: SCRATCH := smaller
test-smaller: ## run the quick tests, built with the flags of Docs/Reference/SmallerPrograms.md (Linux)
	$(SWIFT) test -c release $(SMALLER) --scratch-path .build/$(SCRATCH) --parallel --skip $(STRESS) --skip $(REQUESTS) --skip '^AllocationTests\.'
	$(SWIFT) test -c release $(SMALLER) --scratch-path .build/$(SCRATCH) --parallel --skip-build --filter $(REQUESTS)

test-smallest: ## run test-smaller without unwinding tables (Linux)
	$(MAKE) test-smaller SCRATCH=smallest SMALLER='$(SMALLER) -Xlinker -T -Xlinker $(CURDIR)/Scripts/Settings/without-unwinding.ld'

test-repeat: ## run the quick suites a thousand times to find flaky tests: make test-repeat TIMES=50
	Scripts/repeat.sh $(TIMES)

coverage: export SWIFT := $(SWIFT)
coverage: ## list in .build/coverage/lines.txt the lines that no test runs; each needs an excuse in Tests/uncovered.txt
	STRESS=$(STRESS) REQUESTS=$(REQUESTS) Scripts/coverage.sh

mutants: export SWIFT := $(SWIFT)
mutants: ## break the library in small ways, and check that a test fails each time: make mutants ONLY=Gates
	Scripts/mutate.py $(ONLY)

mutants-tsan: export SWIFT := $(SWIFT)
mutants-tsan: ## run mutants with weakened memory orderings, under the thread sanitizer
	Scripts/mutate.py --tsan $(ONLY)

verify: ## check the models of the engine's protocols (needs spin)
verify-short: SHORT := --short
verify-short: ## run verify without the broken variants of the largest model, as CI does
verify verify-short:
	@Tests/Model/verify $(SHORT) || { \
	  status=$$?; \
	  [ $$status -ne 3 ] || echo "make verify needs spin: apt-get install spin (Linux), brew install spin (macOS)" >&2; \
	  exit $$status; }

typecheck: ## check that chains type-check fast, misuse does not compile, and Apple's branches compile with stubs
	$(SWIFT) build
	Tests/TypeCheck/check --modules "$$($(SWIFT) build --show-bin-path)/Modules"
	Tests/TypeCheck/Apple/check --modules "$$($(SWIFT) build --show-bin-path)/Modules"

branches: ## rewrite the table of branches for Apple's systems in Docs/Reference/Portability.md (Linux)
	$(SWIFT) build
	Tests/TypeCheck/Apple/check --modules "$$($(SWIFT) build --show-bin-path)/Modules" --write

lint: ## check format, generated files, snippets, rules and names of tests, prose, models, mutations, the release script
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)
	Scripts/generate-families.py --check
	Docs/Pictures/draw-chain --check
	Scripts/check-snippets.py
	Scripts/check-contract.py
	Scripts/check-prose.py
	Tests/Model/mapping --check
	Scripts/mutate.py --test
	Scripts/mutate.py --check
	Scripts/release.py --test

format: ## format all sources in place
	$(SWIFT) format --in-place --parallel --recursive $(FORMATTED)

families: ## regenerate the families of links, after a change of a link in PromiseCore
	Scripts/generate-families.py

check-sources: ## check imports, sleeps, clocks and timers in tests, uncounted references, and the calls of workflows
	Scripts/check-sources.sh
	Scripts/check-uncounted.py
	Scripts/check-workflows.py
	Scripts/simulator.py --test

# Reads a debug build, so that CI reuses the build of the type-check.
symbols: export SWIFT := $(SWIFT)
symbols:
	Scripts/extract-symbols.py

docs: export SWIFT := $(SWIFT)
docs: symbols ## build .build/docs/Promises.doccarchive; a warning of docc or a broken link is an error
	Scripts/build-docs.py
	Scripts/check-links.py

# Each page contains the path at which the host serves it.
site: export SWIFT := $(SWIFT)
site: docs ## build the documentation for a web host in .build/site; BASE=path below which the host serves it
	Scripts/build-site.sh $(BASE)
	Scripts/check-links.py .build/site

api: symbols ## rewrite the listing of the public API in Docs/API
	Scripts/check-api.py --write

check-api: symbols ## check that Docs/API lists the public API
	Scripts/check-api.py

bench: ## run all benchmarks, or one: make bench WORKLOAD=W4; SUBJECT=promise runs one side alone
	$(BENCH) $(WORKLOAD)

test-bench: ## run the benchmark's own tests
	$(SWIFT) test --package-path Benchmarks $(STRICT)

publish-bench: ## write the tables of the last full run of bench to README.md and Docs, and its chart to Docs/Pictures
	Benchmarks/publish

bench-quick: ## run all benchmarks once and briefly, to check that they work
	$(BENCH) --quick $(WORKLOAD)

example: ## run the examples, including digest-folder on the project's own sources
	$(SWIFT) run digest-folder Sources
	$(SWIFT) run notes
	$(SWIFT) run tokens
	$(SWIFT) run http-cache
	$(SWIFT) run link-checker --demo || [ $$? -eq 1 ] # a link of the demo is broken

check-resolution: export SWIFT := $(SWIFT)
check-resolution: ## check that a program can use this package together with a package named `promises`
	Scripts/check-resolution.sh

portability: export SWIFT := $(SWIFT)
portability: ## run a small program with static linking, other language modes, no Dispatch, and so on (Linux)
	Scripts/portability.py

try: ## follow Docs/Guides/GettingStarted.md word for word, in a new package
	Scripts/try-getting-started.py

ci: ## run all checks of CI
	.ci/run

# A simulator cannot run command-line programs, nor tests that start them.
test-simulator: export TEST_TARGETS := PromiseCoreTests,PromiseContextsTests,PromiseCombinatorsTests,PromiseTestingTests
test-simulator: export EXAMPLES := none
test-simulator: ## run the tests of four modules in a simulator (macOS): PLATFORM=iOS, tvOS, watchOS or visionOS
	xcodebuild test -scheme swift-promises-Package -derivedDataPath .build/xcode \
	  -destination "platform=$(PLATFORM) Simulator,id=$$(xcrun simctl list devices available --json | Scripts/simulator.py $(PLATFORM))"

build-with-sdk: export SWIFT := $(SWIFT)
build-with-sdk: ## download a Swift SDK and build the library with it: SDK=static-linux, wasm or android
	Scripts/build-with-sdk.sh $(SDK)

release: export SWIFT := $(SWIFT)
release: ## check that VERSION=0.9.0 can be released, and print how to tag it; PASSED=commit for which CI has passed
	Scripts/release.py '$(VERSION)' $(if $(PASSED),--passed '$(PASSED)')

release-notes: ## print the section of CHANGELOG.md for VERSION
	Scripts/release.py '$(VERSION)' --notes

clean: ## remove all build products
	rm -rf .build Benchmarks/.build
