import PromiseProcesses
import Testing

extension SignalTests {
  @Test("A sequence catches each of many signals that follow one another, where the former action ends the process")
  func sequence() async {
    // This test runs in a process of its own, because the former action ends the process.
    await #expect(processExitsWith: .success) {
      signal(SIGUSR1, SIG_DFL)
      let signals = try ProcessSignals(SIGUSR1).makeAsyncIterator()
      for _ in 0..<1_000 {
        var reader = signals
        kill(getpid(), SIGUSR1)
        let number = await reader.next()
        #expect(number == SIGUSR1)
      }
      withExtendedLifetime(signals) {}
      exit(EXIT_SUCCESS)
    }
  }

  @Test("When a loop over SIGINT was left, the next SIGINT ends the process")
  func secondInterrupt() async {
    let run = await #expect(processExitsWith: .signal(SIGINT), observing: [\.standardOutputContent]) {
      signal(SIGINT, SIG_DFL)
      let signals = try ProcessSignals(SIGINT)
      kill(getpid(), SIGINT)
      for await _ in signals { break }
      FileHandle.standardOutput.write(Data("the loop was left".utf8))
      kill(getpid(), SIGINT)
      _ = await eventually { false }
      // Uses the sequence, to show that the sequence does not keep the handler.
      withExtendedLifetime(signals) {}
      exit(EXIT_FAILURE)
    }
    #expect(run.map { String(decoding: $0.standardOutputContent, as: UTF8.self) } == "the loop was left")
  }

  @Test("Each iterator receives a signal, and so does a promise, after which the iterators receive the next")
  func severalReaders() async throws {
    let signals = try ProcessSignals(SIGUSR1)
    var readers = [signals.makeAsyncIterator(), signals.makeAsyncIterator()]
    readers.append(try ProcessSignals(SIGUSR1).makeAsyncIterator())
    let promise = Promise.signal(SIGUSR1)
    kill(getpid(), SIGUSR1)
    for index in readers.indices { #expect(await readers[index].next() == SIGUSR1) }
    #expect(try await promise.value == SIGUSR1)
    #expect(!isIgnored())
    kill(getpid(), SIGUSR1)
    for index in readers.indices { #expect(await readers[index].next() == SIGUSR1) }
    readers = []
    #expect(isIgnored())
  }

  @Test("Signals that arrive while the reader is busy count as one")
  func merged() async throws {
    let busy = try ProcessSignals(SIGUSR1).makeAsyncIterator()
    // Receives each signal after `busy`.
    var observer = try ProcessSignals(SIGUSR1).makeAsyncIterator()
    for _ in 0..<3 {
      kill(getpid(), SIGUSR1)
      #expect(await observer.next() == SIGUSR1)
    }
    let received = Log<Int32>()
    let executor = ManualExecutor()
    let task = Task(executorPreference: executor) {
      var reader = busy
      while let number = await reader.next() { received.append(number) }
    }
    executor.runUntilIdle()
    #expect(received.entries == [SIGUSR1])
    kill(getpid(), SIGUSR1)
    #expect(await observer.next() == SIGUSR1)
    executor.runUntilIdle()
    #expect(received.entries == [SIGUSR1, SIGUSR1])
    task.cancel()
    executor.runUntilIdle()
    await task.value
  }

  @Test("The first iterator receives a signal that arrived before it was made, and the second does not")
  func before() async throws {
    let signals = try ProcessSignals(SIGUSR1)
    #expect(!isIgnored())
    // Receives the signal after `signals`.
    let observer = Promise.signal(SIGUSR1)
    kill(getpid(), SIGUSR1)
    _ = try await observer.value
    var first = signals.makeAsyncIterator()
    let second = signals.makeAsyncIterator()
    #expect(await first.next() == SIGUSR1)
    let executor = ManualExecutor()
    let received = Log<Int32>()
    let task = Task(executorPreference: executor) {
      var reader = second
      while let number = await reader.next() { received.append(number) }
    }
    executor.runUntilIdle()
    #expect(received.entries.isEmpty)
    task.cancel()
    executor.runUntilIdle()
    await task.value
  }

  @Test("The former action is restored when a sequence without iterators, or the last iterator, is released")
  func releasedReaders() throws {
    var signals: ProcessSignals? = try ProcessSignals(SIGUSR1)
    let copy = signals
    signals = nil
    #expect(!isIgnored())
    var first = copy?.makeAsyncIterator()
    var second = first
    #expect(first != nil)
    first = nil
    #expect(!isIgnored())
    #expect(second != nil)
    second = nil
    #expect(isIgnored())
    // The sequence is alive, and begins anew.
    var third = copy?.makeAsyncIterator()
    #expect(third != nil)
    #expect(!isIgnored())
    third = nil
    #expect(isIgnored())
    var unread: ProcessSignals? = try ProcessSignals(SIGUSR1)
    #expect(unread != nil)
    #expect(!isIgnored())
    unread = nil
    #expect(isIgnored())
  }

  @Test("The cancellation of a Task that waits restores the former action before cancel returns, and ends the iterator")
  func cancelledReader() async throws {
    let signals = try ProcessSignals(SIGUSR1).makeAsyncIterator()
    let executor = ManualExecutor()
    let task = Task(executorPreference: executor) {
      var reader = signals
      return [await reader.next(), await reader.next()]
    }
    executor.runUntilIdle()
    #expect(!isIgnored())
    task.cancel()
    #expect(isIgnored())
    executor.runUntilIdle()
    #expect(await task.value == [nil, nil])
  }

  @Test("A Task that is cancelled while it is busy leaves at its next call, even if a signal has arrived")
  func cancelledBusyReader() async throws {
    let signals = try ProcessSignals(SIGUSR1)
    let observer = Promise.signal(SIGUSR1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      for await _ in signals { return 1 }
      return 0
    }
    kill(getpid(), SIGUSR1)
    _ = try await observer.value
    #expect(!isIgnored())
    task.cancel()
    #expect(await task.value == 0)
    #expect(isIgnored())
  }

  @Test("If a second Task waits with a copy of an iterator, the first gets nil")
  func displaced() async throws {
    // Safe, because the copies only share what they receive, which is `Sendable`.
    nonisolated(unsafe) let signals = try ProcessSignals(SIGUSR1).makeAsyncIterator()
    let executor = ManualExecutor()
    let tasks = (0..<2).map { _ in
      Task(executorPreference: executor) {
        var reader = unsafe signals
        return await reader.next()
      }
    }
    executor.runUntilIdle()
    kill(getpid(), SIGUSR1)
    #expect(await eventually { executor.count > 0 })
    executor.runUntilIdle()
    #expect(await tasks[0].value == nil)
    #expect(await tasks[1].value == SIGUSR1)
  }

  @Test("A loop over signals in a cancelled Task releases what it has captured", .leavingNothing)
  func releasedLoop() async throws {
    let signals = try ProcessSignals(SIGUSR1)
    let seen = Deferred<Void>()
    let task = Task { [tracked = Tracked(Tracked.Census())] in
      for await _ in signals { seen.fulfill(tracked.carrying(())) }
    }
    kill(getpid(), SIGUSR1)
    try await seen.promise.value
    task.cancel()
    await task.value
    #expect(isIgnored())
  }

  @Test("A promise is fulfilled, and restores the former action, while blocked calls occupy all threads of Tasks")
  func blockedThreads() async {
    // This test runs in a process of its own, in which no other test needs the threads.
    await #expect(processExitsWith: .success) {
      signal(SIGUSR1, SIG_IGN)
      for _ in 0..<256 { Task { Gate().wait() } }
      let fulfilled = Gate()
      Promise.signal(SIGUSR1).onFulfilled { _ in fulfilled.open() }
      kill(getpid(), SIGUSR1)
      fulfilled.wait()
      #expect(isIgnored())
      exit(EXIT_SUCCESS)
    }
  }

  @Test("A sequence of a signal that cannot be caught throws", arguments: [SIGKILL, SIGSTOP, SIGSEGV, SIGFPE, 0, -1])
  func uncatchableSequence(_ number: Int32) throws {
    let error = #expect(throws: UncatchableSignalError.self) { try ProcessSignals(number) }
    #expect(error?.number == number)
    #expect(error?.code == EINVAL)
  }

  @Test("The former action is restored after readers come and leave while signals arrive")
  func racingReaders() async throws {
    for _ in 0..<300 {
      let signals = try ProcessSignals(SIGUSR1)
      let task = Task { for await _ in signals {} }
      race([
        { _ = kill(getpid(), SIGUSR1) }, { task.cancel() },
        { _ = try? ProcessSignals(SIGUSR1).makeAsyncIterator() },
        { Promise.signal(SIGUSR1).cancel() },
      ])
      await task.value
      #expect(isIgnored())
    }
  }
}
