# `make` lists the targets. Everything works in a fresh clone; nothing has to be installed but Swift, bash and Python 3.

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
# Debug builds count more references, and so let other things go last.
CONFIGURATION ?= release
ONLY ?=
# A test that crashes says where; one that races, what all threads were doing, too. Of a thousand threads that takes many minutes.
BACKTRACE := SWIFT_BACKTRACE=enable=yes,color=no,interactive=no,images=none,registers=none,threads

# Benchmarks and Docs are looked for, so that the tools also work in a clone that has only some of the folders.
FORMATTED := $(wildcard Sources Tests Benchmarks Docs) Package.swift
# In CI a warning is an error. Not elsewhere: the next compiler has warnings of its own.
STRICT := $(if $(CI),-Xswiftc -warnings-as-errors)
# All of it is built: `bench` starts and weighs other programs of its package.
BENCH := $(SWIFT) build -c release --package-path Benchmarks && \
  $(SWIFT) run -c release --package-path Benchmarks --skip-build bench --output .build/bench $(if $(SUBJECT),--subject $(SUBJECT))

.DEFAULT_GOAL := help
.PHONY: help check build test test-release test-release-short test-slow test-all stress races soak coverage mutants mutants-tsan test-tsan test-tsan-short test-asan test-smaller test-smallest test-repeat verify verify-short typecheck lint \
  branches format families check-sources \
  symbols docs site api check-api bench bench-quick publish-bench test-bench example check-resolution portability try \
  ci test-simulator build-with-sdk release release-notes clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build everything, debug
	$(SWIFT) build --build-tests

# What races for the cores, measures the memory of the process, or takes seconds, runs alone.
STRESS := '^StressTests\.'

# What talks to a server runs apart too: a request gives up after a minute, in which others may take all threads there are.
# But not ProgramTests, for Linux' Foundation may crash where it starts a process beside thousands of open descriptors
# (swift-corelibs-foundation, pull request 5472, mended after Swift 6.3.1).
REQUESTS := '^(PromiseFoundation|LoopbackServer|Leak|Guide)Tests\.'

# Some tests look at what is internal, which a release build must be told.
RELEASE_TESTS := -c release --scratch-path .build/release-tests -Xswiftc -enable-testing --skip '^AllocationTests\.'

# The suites that have a test with the trait `.slow`. Suites are named as their files.
SLOW = '\.($(shell grep -rlE '(^|,) *\.slow\b' Tests --include='*.swift' | sed -E 's|.*/([A-Za-z]+).*|\1|' | sort -u | paste -sd '|' -))/'

check: lint check-sources test ## everything that a contributor runs before a commit, in order

test: export PROMISE_TESTS := quick
test: ## before each commit, a minute: the quick tests (debug), then the allocation counts (release)
	$(BACKTRACE)=crashed $(SWIFT) test $(STRICT) --parallel --skip $(STRESS) --skip $(REQUESTS)
	$(BACKTRACE)=crashed $(SWIFT) test $(STRICT) --skip-build --parallel --filter $(REQUESTS)
	TEST_TARGETS=AllocationTests $(SWIFT) test -c release --scratch-path .build/counts $(STRICT) --filter AllocationTests

test-release test-release-short: export PROMISE_TESTS := quick
test-release test-release-short: export OPTIMIZED_TESTS := none
test-release-short: export TEST_TARGETS := PromiseCoreTests,LeakTests
test-release-short: export EXAMPLES := none
test-release-short: test-release ## those of PromiseCore and of leaks, as CI does
test-release: ## the quick tests with an optimised library, four minutes
	$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --parallel --skip $(STRESS) --skip $(REQUESTS)
	$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --skip-build --parallel --filter $(REQUESTS)

test-slow: ## what `make test` leaves out: slow tests and the stress suite (debug)
	$(BACKTRACE)=crashed $(SWIFT) test $(STRICT) --parallel --filter $(SLOW)
	$(BACKTRACE)=all $(SWIFT) test $(STRICT) --skip-build --filter $(STRESS)

test-all: test test-slow ## the whole suite

stress: export PROMISE_STRESS := full
stress: ## the stress suite at full length, debug and release, half an hour or more
	$(BACKTRACE)=all $(SWIFT) test --filter $(STRESS)
	$(BACKTRACE)=all $(SWIFT) test -c release --filter $(STRESS)

races: export PROMISE_STRESS := full
races: export PROMISE_RACES := $(CURDIR)/.build/races.txt
races: ## every pair of operations that can race, release: how often each came first, in .build/races.txt
	rm -f $(PROMISE_RACES)
	TEST_TARGETS=StressTests $(SWIFT) test -c release --filter 'RaceTests'
	Scripts/races.sh

soak: export SWIFT := $(SWIFT)
soak: ## random programs against the model: make soak PROGRAMS=1000000 TIME=600 SEED=1 CONFIGURATION=debug
	Scripts/soak.sh $(PROGRAMS) $(TIME) '$(SEED)' $(CONFIGURATION)

# The sanitizers get a folder of their own: what they build and what the others build must not replace each other.
test-tsan test-tsan-short: export TSAN_OPTIONS := suppressions=$(CURDIR)/Scripts/Settings/ThreadSanitizer.txt
test-tsan: export PROMISE_STRESS := full
test-tsan: ## the whole suite under the thread sanitizer, debug and release
	$(SWIFT) test --sanitize=thread --scratch-path .build/tsan --skip $(STRESS) --skip $(REQUESTS)
	$(SWIFT) test --skip-build --sanitize=thread --scratch-path .build/tsan --filter $(REQUESTS)
	$(SWIFT) test --skip-build --sanitize=thread --scratch-path .build/tsan --filter $(STRESS)
	$(SWIFT) test -c release --sanitize=thread --scratch-path .build/tsan --skip $(STRESS) --skip $(REQUESTS)
	$(SWIFT) test --skip-build -c release --sanitize=thread --scratch-path .build/tsan --filter $(REQUESTS)
	$(SWIFT) test --skip-build -c release --sanitize=thread --scratch-path .build/tsan --filter $(STRESS)

# Without the chains and loops of a million, which take minutes under the sanitizer and have few threads.
test-tsan-short: ## all races under the thread sanitizer, release, with fewer rounds than test-tsan
	TEST_TARGETS=StressTests,PromiseTestingTests $(SWIFT) test -c release --sanitize=thread --scratch-path .build/tsan --filter '(Race|Storm|Pool|ThreadsOfWorld)Tests'

# Apple's runtime has no leak detection. XCTest leaks by itself on Linux, and we have no tests of its kind.
# And a small quarantine, for some tests look at what the process has of the machine's memory. The programs that tests start end without
# letting go of what they have: they would all leak. So do handlers that exit their thread, for Swift does not unwind them.
# The test of chains of bags compares addresses of frames, which the sanitizer otherwise allocates elsewhere.
APART := '^GuideTests\.BagTests|ExitedThreadTests'
test-asan: LEAKS := $(if $(filter Linux,$(shell uname)),1,0)
test-asan: export LSAN_OPTIONS := suppressions=$(CURDIR)/Scripts/Settings/LeakSanitizer.txt:print_suppressions=0
test-asan: export ASAN_OPTIONS := detect_leaks=$(LEAKS):quarantine_size_mb=4:thread_local_quarantine_size_kb=64:suppressions=$(CURDIR)/Scripts/Settings/AddressSanitizer.txt
test-asan: ## the whole suite under the address sanitizer, with its leak detection
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/asan --skip $(STRESS) --skip $(REQUESTS) --skip '^ProgramTests'
	$(SWIFT) test --skip-build --disable-xctest --sanitize=address --scratch-path .build/asan --filter $(REQUESTS) --skip $(APART)
	ASAN_OPTIONS=$(ASAN_OPTIONS):detect_leaks=0:detect_stack_use_after_return=0 $(SWIFT) test --skip-build --disable-xctest --sanitize=address --scratch-path .build/asan --filter $(APART)
	$(SWIFT) test --skip-build --disable-xctest --sanitize=address --scratch-path .build/asan --filter $(STRESS)

# The flags of Docs/Reference/SmallerPrograms.md, all of them. AllocationTests are left out, because -Osize allocates
# more.
FRONTEND := -Xswiftc -Xfrontend -Xswiftc
SMALLER := $(FRONTEND) -function-sections $(FRONTEND) -internalize-at-link -Xswiftc -Osize \
  -Xswiftc -use-ld=lld -Xlinker --icf=all -Xlinker -z -Xlinker pack-relative-relocs
test-smaller: export PROMISE_TESTS := quick
test-smaller: SCRATCH := smaller
test-smaller: ## the quick tests, built as Docs/Reference/SmallerPrograms.md says (Linux)
	$(SWIFT) test -c release $(SMALLER) --scratch-path .build/$(SCRATCH) --parallel --skip $(STRESS) --skip $(REQUESTS) --skip '^AllocationTests\.'
	$(SWIFT) test -c release $(SMALLER) --scratch-path .build/$(SCRATCH) --parallel --skip-build --filter $(REQUESTS)

test-smallest: ## the same without unwinding tables (Linux)
	$(MAKE) test-smaller SCRATCH=smallest SMALLER='$(SMALLER) -Xlinker -T -Xlinker $(CURDIR)/Scripts/Settings/without-unwinding.ld'

test-repeat: ## the quick suites a thousand times: is there a flake? make test-repeat TIMES=50
	Scripts/repeat.sh $(TIMES)

coverage: export SWIFT := $(SWIFT)
coverage: ## which lines of the library no test runs, and have no excuse in Tests/uncovered.txt: .build/coverage/lines.txt
	STRESS=$(STRESS) REQUESTS=$(REQUESTS) Scripts/coverage.sh

mutants: export SWIFT := $(SWIFT)
mutants: ## break the library in small ways, and see whether a test fails: make mutants ONLY=Gates
	Scripts/mutate.py $(ONLY)

mutants-tsan: export SWIFT := $(SWIFT)
mutants-tsan: ## the same with weakened memory orderings, under the thread sanitizer
	Scripts/mutate.py --tsan $(ONLY)

verify: ## check the models of the engine's protocols (needs spin)
verify-short: SHORT := --short
verify-short: ## the same without the broken variants of the largest model, as CI does
verify verify-short:
	@Tests/Model/verify $(SHORT) || { \
	  status=$$?; \
	  [ $$status -ne 3 ] || echo "make verify needs spin: apt-get install spin (Linux), brew install spin (macOS)" >&2; \
	  exit $$status; }

typecheck: ## chains must type-check fast, misuse must not compile, and Apple's branches must (with stubs)
	$(SWIFT) build
	Tests/TypeCheck/check --modules "$$($(SWIFT) build --show-bin-path)/Modules"
	Tests/TypeCheck/Apple/check --modules "$$($(SWIFT) build --show-bin-path)/Modules"

branches: ## write the table of branches for Apple's systems anew, Docs/Reference/Portability.md (on Linux)
	$(SWIFT) build
	Tests/TypeCheck/Apple/check --modules "$$($(SWIFT) build --show-bin-path)/Modules" --write

lint: ## format, generated files, snippets of documents, rules and names of tests, prose, models, mutations, the release script
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

families: ## write the families of links anew, after a change of a link in PromiseCore
	Scripts/generate-families.py

check-sources: ## what each module may import; no sleeps, clocks or real timers in tests; no count of what is read uncounted; workflows call make only
	Scripts/check-sources.sh
	Scripts/check-uncounted.py
	Scripts/check-workflows.py
	Scripts/simulator.py --test

# Of a debug build: what CI has built for the type-check is not built again.
symbols: export SWIFT := $(SWIFT)
symbols:
	Scripts/extract-symbols.py

docs: export SWIFT := $(SWIFT)
docs: symbols ## the documentation, .build/docs/Promises.doccarchive; a warning of docc or a broken link is an error
	Scripts/build-docs.py
	Scripts/check-links.py

# The page that a browser shows must know the path at which the host serves it.
site: export SWIFT := $(SWIFT)
site: docs ## the documentation as files for a web host, .build/site; BASE=path below which they are served
	Scripts/build-site.sh $(BASE)
	Scripts/check-links.py .build/site

api: symbols ## write the listing of the public API anew, Docs/API
	Scripts/check-api.py --write

check-api: symbols ## the public API is that of Docs/API
	Scripts/check-api.py

bench: ## all benchmarks, or one: make bench WORKLOAD=W4; SUBJECT=promise: one side alone
	$(BENCH) $(WORKLOAD)

test-bench: ## the benchmark's own tests: do its numbers mean what they say?
	$(SWIFT) test --package-path Benchmarks $(STRICT)

publish-bench: ## the last full run of bench: its tables into README.md and Docs, and its chart into Docs/Pictures
	Benchmarks/publish

bench-quick: ## all benchmarks, once and short: do they run?
	$(BENCH) --quick $(WORKLOAD)

example: ## run the examples, one of them on the project's own sources
	$(SWIFT) run digest-folder Sources
	$(SWIFT) run notes
	$(SWIFT) run tokens
	$(SWIFT) run http-cache
	$(SWIFT) run link-checker --demo || [ $$? -eq 1 ] # a link of the demo is broken

check-resolution: export SWIFT := $(SWIFT)
check-resolution: ## a program can use this package beside one that is called `promises`
	Scripts/check-resolution.sh

portability: export SWIFT := $(SWIFT)
portability: ## static linking, other language modes, no Dispatch, …: builds and runs a small program in each configuration (Linux)
	Scripts/portability.py

try: ## follow Docs/Guides/GettingStarted.md word for word, in a new package
	Scripts/try-getting-started.py

ci: ## what CI runs
	.ci/run

# Programs cannot run in a simulator, and neither can tests that start them.
test-simulator: export TEST_TARGETS := PromiseCoreTests,PromiseContextsTests,PromiseCombinatorsTests,PromiseTestingTests
test-simulator: export EXAMPLES := none
test-simulator: ## on a Mac: the tests of four modules in a simulator, PLATFORM=iOS, tvOS, watchOS or visionOS
	xcodebuild test -scheme swift-promises-Package -derivedDataPath .build/xcode \
	  -destination "platform=$(PLATFORM) Simulator,id=$$(xcrun simctl list devices available --json | Scripts/simulator.py $(PLATFORM))"

build-with-sdk: export SWIFT := $(SWIFT)
build-with-sdk: ## build the library with a Swift SDK, which is downloaded: SDK=static-linux, wasm or android
	Scripts/build-with-sdk.sh $(SDK)

release: export SWIFT := $(SWIFT)
release: ## check that VERSION can be released, and print how to tag it: make release VERSION=0.9.0; PASSED=commit: CI has passed for it
	Scripts/release.py '$(VERSION)' $(if $(PASSED),--passed '$(PASSED)')

release-notes: ## the section of CHANGELOG.md for VERSION
	Scripts/release.py '$(VERSION)' --notes

clean: ## remove everything that was built
	rm -rf .build Benchmarks/.build
