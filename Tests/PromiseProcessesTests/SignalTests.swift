import PromiseProcesses
import Synchronization
import Testing

/// The tests run one after another, because a signal reaches the whole process.
@Suite("Signals as promises", .bounded, .serialized) final class SignalTests {
  /// The action before a test, which sees the signal ignored unless it sets another action.
  private let former = signal(SIGUSR1, SIG_IGN)

  deinit { signal(SIGUSR1, former) }

  @Test("A signal fulfils every promise that waits for it, and has no other effect")
  func delivered() async throws {
    signal(SIGUSR1, SIG_DFL)
    let promises = (0..<3).map { _ in Promise.signal(SIGUSR1) }
    let other = Promise.signal(SIGUSR2)
    kill(getpid(), SIGUSR1)
    for promise in promises { #expect(try await promise.value == SIGUSR1) }
    #expect(other.isPending)
    other.cancel()
  }

  @Test("After the first signal the former action is restored, and a second signal is not caught")
  func second() async throws {
    signal(SIGUSR1) { _ in earlier.add(1, ordering: .relaxed) }
    let before = earlier.load(ordering: .relaxed)
    let promise = Promise.signal(SIGUSR1)
    kill(getpid(), SIGUSR1)
    _ = try await promise.value
    #expect(earlier.load(ordering: .relaxed) == before)
    kill(getpid(), SIGUSR1)
    #expect(await eventually { earlier.load(ordering: .relaxed) == before + 1 })
    let next = Promise.signal(SIGUSR1)
    kill(getpid(), SIGUSR1)
    #expect(try await next.value == SIGUSR1)
    #expect(earlier.load(ordering: .relaxed) == before + 1)
  }

  @Test("The former action is restored when the last promise is cancelled, before cancel returns", .rule("4.5", "4.9"))
  func cancelled() {
    let first = Promise.signal(SIGUSR1)
    let second = Promise.signal(SIGUSR1)
    #expect(!isIgnored())
    first.cancel()
    #expect(!isIgnored())
    second.cancel()
    #expect(isIgnored())
  }

  @Test("The former action is restored when no client retains the last promise or waits for it", .rule("4.9"))
  func released() async {
    var promise: Promise? = Promise.signal(SIGUSR1)
    #expect(!isIgnored())
    promise = nil
    #expect(promise == nil)
    #expect(await eventually { isIgnored() })
  }

  @Test("A handler receives the signal without a client, and is released afterwards", .leavingNothing)
  func handler() async throws {
    let came = Deferred<Int32>()
    do {
      let tracked = Tracked(Tracked.Census())
      Promise.signal(SIGUSR1).onFulfilled { came.fulfill(tracked.carrying($0)) }
    }
    #expect(!isIgnored())
    kill(getpid(), SIGUSR1)
    #expect(try await came.promise.value == SIGUSR1)
    #expect(isIgnored())
  }

  @Test("An uncatchable signal rejects the promise", arguments: [SIGKILL, SIGSTOP, SIGSEGV, SIGFPE, 0, -1, 1_000])
  func uncatchable(_ number: Int32) async throws {
    let error = await Promise.signal(number).awaitedError
    #expect((error as? UncatchableSignalError)?.number == number)
    #expect(error.map { "\($0)" } == "a process cannot catch the signal \(number)")
  }

  #if os(Linux)
    @Test("A promise for a signal rejects if no file descriptor is left, and a later promise works again")
    func noDescriptors() async throws {
      // This test sets the limit in a process of its own. Using up the descriptors would not work, because other
      // threads may close some.
      await #expect(processExitsWith: .success) {
        let error = withoutDescriptors { Promise.signal(SIGUSR1).error }
        #expect(error.map { "\($0)" } == "the signal 10 cannot be caught: Too many open files")
        #expect((error as? UncatchableSignalError)?.code == EMFILE)
        let promise = Promise.signal(SIGUSR1)
        kill(getpid(), SIGUSR1)
        let number = try await promise.value
        #expect(number == SIGUSR1)
        exit(EXIT_SUCCESS)
      }
    }
  #endif

  @Test("The former action is restored after promises are made and cancelled while signals arrive")
  func races() async throws {
    for _ in 0..<300 {
      let promises = (0..<4).map { _ in Promise.signal(SIGUSR1) }
      race([
        { _ = kill(getpid(), SIGUSR1) }, { promises[0].cancel() },
        {
          promises[1].cancel()
          promises[2].cancel()
          Promise.signal(SIGUSR1).cancel()
        },
      ])
      // The signal may not have settled this promise yet.
      promises[3].cancel()
      #expect(isIgnored())
    }
  }
}

private let earlier = Atomic<Int>(0)

func isIgnored() -> Bool {
  var current = sigaction()
  unsafe sigaction(SIGUSR1, nil, &current)
  #if canImport(Darwin)
    let handler = unsafe current.__sigaction_u.__sa_handler
  #else
    let handler = unsafe current.__sigaction_handler.sa_handler
  #endif
  return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
