# Builds, tests and checks the package. `make` lists the targets. They work in a fresh clone and need only Swift, bash
# and Python 3.10 or later, except that `make proof ONLY=models` needs spin, `make proof ONLY=load` SwiftNIO,
# `works-with` the network and the headers of SQLite, and `test-simulator` Xcode.

export SWIFT ?= swift
WORKLOAD ?=
SUBJECT ?=
PLATFORM ?= iOS
SDK ?=
BASE ?=
VERSION ?=
ONLY ?=
WRITE ?=
# After a crash, print the crashed thread; in stress tests, all threads. Printing a thousand threads takes many minutes.
export BACKTRACE := enable=yes,color=no,interactive=no,images=none,registers=none,threads

# The wildcard omits missing folders, so that the tools also work in a clone without Benchmarks or Docs.
FORMATTED := $(wildcard Sources Tests Benchmarks Docs) Package.swift
# Only CI treats warnings as errors, because another version of the compiler may have new warnings.
STRICT := $(if $(CI),-Xswiftc -warnings-as-errors)
# CI builds everything once, so it compiles each module as a whole, without what only a debugger needs. All its debug
# builds use the same options, because other options build everything anew. The index stays, because SwiftPM finds the
# tests in it.
WHOLE := -Xswiftc -disable-batch-mode -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gline-tables-only
export FLAGS := $(if $(CI),$(STRICT) $(WHOLE))

# These tests compete for the cores, measure the memory of the process, or take seconds, so they run alone.
export STRESS := ^StressTests\.

# Tests that talk to a server or start programs run separately. A request times out after a minute, and other tests may
# occupy all threads for that long. ProgramTests do not run with them, because Foundation on Linux may crash when it
# starts a process while thousands of descriptors are open (swift-corelibs-foundation, pull request 5472, fixed after
# Swift 6.3.1).
export REQUESTS := ^(PromiseFoundation|PromiseHTTP|PromiseProcesses|LoopbackServer|Leak|Guide)Tests\.

# These tests look at all promises of the process that were made while the register was on. They run alone, because a
# look retains the promises of other tests for a moment, and those tests examine which promises are alive. They run one
# after the other, because each turns the register off.
export REGISTER := \.(PendingRegisterTests|HungProgramRegisterTests)/

# These suites run optimised, too: the random programs once found an object that only optimised code released twice.
RANDOM_PROGRAMS := ^StressTests\..*/(RandomProgram|Permutation|Everything)Tests/

# These suites compare their tables with the listings in Docs/API.
LISTED := \.(ListingTests|OperatorTableTests|LazyMirrorTests|InputsTests)/

# The suites of the files that contain a test with the trait `.slow`.
SLOW_SUITES = $(shell grep -rlE '(^|,) *\.slow\b' Tests --include='*.swift' | xargs sed -nE 's/.*\b(struct|class) ([A-Za-z]+Tests)\b.*/\2/p' | sort -u | paste -sd '|' -)
SLOW = \.($(or $(SLOW_SUITES),$(error no suite contains a test with the trait .slow)))/

# Some tests use internal declarations, which a release build exposes only with -enable-testing.
RELEASE_TESTS := -c release --scratch-path .build/release-tests -Xswiftc -enable-testing --skip '^AllocationTests\.'

# Builds the whole package, because `bench` runs and measures other programs of its package.
BENCH := $(SWIFT) build -c release --package-path Benchmarks && \
  $(SWIFT) run -c release --package-path Benchmarks --skip-build bench --output .build/bench

.DEFAULT_GOAL := help
.PHONY: help check lint check-sources format families page api \
  test test-slow test-release typecheck portability try works-with test-simulator build-with-sdk \
  symbols check-api docs bench test-bench ci proof release clean

help: ## list the targets
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

##@ Before a commit

check: lint check-sources test ## run lint, check-sources and test, in this order

lint: ## check format, generated files, snippets, links, rules in tests, names in tools, prose, models, mutations, memory orderings
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)
	Scripts/generate-families.py --check
	Scripts/generate-page.py --check
	Scripts/draw-chain.py --check
	Scripts/draw-load.py --check
	Scripts/check-snippets.py
	Scripts/check-links.py
	Scripts/check-contract.py
	Scripts/check-names.py
	Scripts/check-prose.py
	Scripts/map-models.py --check
	Scripts/mutate.py --find
	Scripts/verify-memory.py --check

check-sources: ## check imports, APIs with a required reason, time in tests, arguments for unsafe code, uncounted references
	Scripts/check-sources.sh
	Scripts/check-arguments.py
	Scripts/check-uncounted.py

format: ## format all sources in place
	$(SWIFT) format --in-place --parallel --recursive $(FORMATTED)

families: ## regenerate the forms for the main actor, actors and so on; `make api` does it, too
	Scripts/generate-families.py

page: ## rewrite the page of a recording, after a change of its HTML, style sheet or scripts
	Scripts/generate-page.py

api: ## rewrite the families and the listing in Docs/API, and run the tests that compare tables with the listing
	Scripts/generate-families.py
	$(MAKE) symbols
	Scripts/list-api.py Docs/API
	TEST_TARGETS=LeakTests,GuideTests,PromiseCombinatorsTests EXAMPLES=none PROMISE_TESTS=quick $(SWIFT) test $(FLAGS) --filter '$(LISTED)'

##@ Tests

test: export PROMISE_TESTS := quick
test: ## run the quick tests (debug) and the allocation counts (release), about a minute after a warm build
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(FLAGS) --parallel --skip '$(STRESS)' --skip '$(REQUESTS)' --skip '$(REGISTER)'
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(FLAGS) --skip-build --parallel --filter '$(REQUESTS)' --skip '$(REGISTER)'
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(FLAGS) --skip-build --no-parallel --filter '$(REGISTER)'
	TEST_TARGETS=AllocationTests EXAMPLES=none $(SWIFT) test -c release --scratch-path .build/counts $(STRICT) --filter AllocationTests

test-slow: ## run the tests that `make test` omits: slow tests and the stress suite (debug)
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(FLAGS) --parallel --filter '$(SLOW)'
	SWIFT_BACKTRACE=$(BACKTRACE)=all $(SWIFT) test $(FLAGS) --skip-build --filter '$(STRESS)'

test-release: export PROMISE_TESTS := quick
test-release: export OPTIMIZED_TESTS := none
test-release: ## run quick tests and random programs with an optimised library; CI sets TEST_TARGETS, to run only some
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --parallel --skip '$(STRESS)' --skip '$(REQUESTS)' --skip '$(REGISTER)'
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --skip-build --parallel --filter '$(REQUESTS)' --skip '$(REGISTER)'
	SWIFT_BACKTRACE=$(BACKTRACE)=crashed $(SWIFT) test $(RELEASE_TESTS) --skip-build --no-parallel --filter '$(REGISTER)'
	SWIFT_BACKTRACE=$(BACKTRACE)=all $(SWIFT) test $(RELEASE_TESTS) --skip-build --filter '$(RANDOM_PROGRAMS)'

# WRITE=yes writes the table of branches for Apple's systems in Docs/Reference/Portability.md (Linux).
typecheck: ## check that chains type-check fast, misuse does not compile, and Apple's branches compile with stubs
	$(SWIFT) build $(FLAGS)
	Scripts/check-types.py --modules "$$($(SWIFT) build --show-bin-path)/Modules"
	Scripts/check-branches.py --modules "$$($(SWIFT) build --show-bin-path)/Modules" $(if $(WRITE),--write)

portability: ## run a small program with static linking, other language modes, and so on (Linux)
	Scripts/portability.py

try: ## follow Docs/Guides/GettingStarted.md word for word, and build it in other language modes
	Scripts/try-getting-started.py

# TEST_TARGETS and EXAMPLES remove targets from this package, even if it is a dependency. The servers of Hummingbird's
# tests catch SIGINT, so the test that sends it has a process of its own.
works-with: TEST = env -u TEST_TARGETS -u EXAMPLES $(SWIFT) test \
  --package-path Docs/Examples/WorksWith --scratch-path .build/works-with
works-with: ## test Docs/Examples/WorksWith with SwiftNIO, GRDB, tracing and so on, which it downloads, ten minutes
	$(TEST) --parallel --skip interruptedTool
	$(TEST) --skip-build --filter interruptedTool

# A simulator cannot run command-line programs, nor tests that start them. The last device in the list has the newest
# system.
test-simulator: export TEST_TARGETS := PromiseCoreTests,PromiseContextsTests,PromiseCombinatorsTests,PromiseGatesTests,PromiseTestingTests
test-simulator: export EXAMPLES := none
test-simulator: ## run the tests of five modules in a simulator (macOS): PLATFORM=iOS, tvOS, watchOS or visionOS
	xcodebuild test -scheme swift-promises-Package -derivedDataPath .build/xcode -destination "id=$$( \
	  xcrun simctl list devices available | sed -nE '/^-- $(PLATFORM) /,/^-- /s/.*\(([0-9A-F-]{36})\).*/\1/p' | tail -n 1)"

# `swift sdk install` installs an SDK. Each fits exactly one version of the compiler.
build-with-sdk: MODULES ?= $(shell sed -nE 's/.*\.library\(name: "(\w+)".*/\1/p' Package.swift)
build-with-sdk: ## build all modules, or MODULES, with an installed Swift SDK, without running them: SDK=x86_64-swift-linux-musl
	$(foreach module,$(MODULES),$(SWIFT) build --swift-sdk $(SDK) --scratch-path .build/$(SDK) --target $(module) &&) true

##@ Documentation and measurements

# Uses a debug build, so that CI reuses the build of the type-check. With extension blocks, members that a module adds to
# another module's types have their own pages.
symbols:
	rm -rf .build/*/symbolgraph
	TEST_TARGETS=none EXAMPLES=none $(SWIFT) package $(FLAGS) dump-symbol-graph --minimum-access-level public \
	  --skip-synthesized-members --emit-extension-block-symbols

check-api: symbols ## check that Docs/API lists the public API
	Scripts/list-api.py .build/docs/API
	@diff -r -U 0 Docs/API .build/docs/API || { \
	  echo 'Docs/API does not list this API. A removed or changed line (-) breaks programs, and so does a requirement' \
	  'without a default. If the change is intended: make api, and a line in CHANGELOG.md (Docs/Reference/Versioning.md).'; \
	  exit 1; } >&2

docs: symbols ## build .build/docs/Promises.doccarchive; BASE=path builds it for a host that serves it there
	Scripts/build-docs.py $(BASE)

bench: ## run all benchmarks, or one: make bench WORKLOAD=W4; SUBJECT=promise runs one side; BASE=commit compares
	$(if $(BASE),base=$$(Scripts/build-base.sh $(BASE)) && )$(BENCH) $(if $(SUBJECT),--subject $(SUBJECT)) \
	  $(if $(BASE),--base "$$base") $(WORKLOAD)

test-bench: ## run the benchmark's own tests, and all benchmarks once and briefly
	$(SWIFT) test --package-path Benchmarks $(FLAGS)
	$(BENCH) --quick $(WORKLOAD)
	$(BENCH) --output .build/bench/processes --processes 2 --rounds 1 W4 W14

##@ Everything

ci: ## run all checks of CI
	.ci/run

proof: ## run the long proofs except load, mutations and smaller builds; or one, with its arguments: make proof ONLY="mutants Gates"; or ONLY=all, ONLY=help
	Scripts/proof.sh $(ONLY)

release: ## check that VERSION=0.9.0 can be released, and print how to tag it once CI has passed
	Scripts/release.py '$(VERSION)'

clean: ## remove all build products
	rm -rf .build Benchmarks/.build
