#if os(Linux)
  import Testing

  @testable import PromiseProcesses

  /// Most of these tests run in processes of their own, because they stop, fork or limit the process.
  @Suite("Commands: faults of processes and of the system", .bounded) struct CommandFaultTests {
    @Test("A stopped program that is cancelled ends with the grace period", .rule("4.9"))
    func stoppedProgram() async throws {
      let folder = try Folder()
      let world = TestWorld()
      let script = "echo $$ >'\(folder.file("pids").path)'; kill -STOP $$; exec sleep 1000"
      let command = world.run { shell(script).gracePeriod(.seconds(60)).start() }
      let end = command.end
      let process = try #require(await folder.numbers(in: "pids").first)
      #expect(await eventually { isStopped(process) })
      command.result.cancel()
      #expect(await eventually { (try? world.verify(.timers)) == nil })
      world.advance(by: .seconds(59))
      // SIGTERM waits, because the program does not run.
      #expect(isStopped(process))
      #expect(end.isPending)
      world.advance(by: .seconds(1))
      #expect(await end.awaitedError == nil)
      #expect(!exists(process))
    }

    @Test("A process that is stopped and continued loses no outcome, no timer and no output")
    func stoppedProcess() async {
      await #expect(processExitsWith: .success) {
        let timer = Deferred<Void>()
        let links = Log<Int>()
        let count = 1_000
        let pool = Promise.traverse(0..<count, concurrency: 4) { number in
          Promise.run { links.append(number) }
        }
        let output = shell("head -c 3000000 /dev/zero").run()
        DispatchTimers.dispatch.schedule(after: .milliseconds(1)) { timer.fulfill() }
        let continuing = shell(
          "until grep -q '^State:.T' /proc/$PPID/status; do :; done; kill -CONT $PPID; echo continued"
        ).start()
        _ = try await continuing.processIdentifier.value
        kill(getpid(), SIGSTOP)
        let text = try await continuing.result.value.text
        #expect(text == "continued")
        let size = try await output.value.output.count
        #expect(size == 3_000_000)
        _ = try await pool.value
        #expect(links.entries.count == count)
        try await timer.promise.value
      }
    }

    @Test("A process that forks in the middle of its work loses nothing, and its child holds no file of a command open")
    func forks() async {
      await #expect(processExitsWith: .success) {
        let links = Log<Int>()
        let count = 5_000
        let pool = Promise.traverse(0..<count, concurrency: 8) { number in Promise.run { links.append(number) } }
        let timers = HandRungTimers()
        // The children live until the test ends them. Only the grace period, which never passes, would end a wait for
        // an output that they hold open.
        let conversation = Command("cat").input(.streamed).output(.streamed).start(timers: timers)
        var children: [pid_t] = []
        var echoes = conversation.output.lines.makeAsyncIterator()
        for number in 0..<20 {
          let output = shell("head -c 300000 /dev/zero").run(timers: timers)
          try children.append(#require(forked(running: "/bin/sleep", "1000")))
          try await conversation.input.write("\(number)\n").value
          let echo = try await echoes.next()
          #expect(echo == "\(number)")
          let size = try await output.value.output.count
          #expect(size == 300_000)
        }
        conversation.input.close()
        let rest = try await echoes.next()
        #expect(rest == nil)
        _ = try await conversation.result.value
        _ = try await pool.value
        #expect(links.entries.count == count)
        for child in children {
          #expect(exists(child))
          #expect(!hasEnded(child))
          kill(child, SIGKILL)
          var status: Int32 = 0
          let collected = unsafe waitpid(child, &status, 0)
          #expect(collected == child)
        }
      }
    }

    @Test(
      "A command that lacks descriptors is rejected with EMFILE or succeeds, leaves none open, and a later one works",
      arguments: [false, true])
    func fewDescriptors(_ isFirst: Bool) async {
      await #expect(processExitsWith: .success) { [isFirst] in
        let command = shell("echo text; echo warning >&2").input("input")
        if !isFirst { _ = try await command.run().value }
        var failures = 0
        // With an odd number, a pipe cannot be made while one descriptor is left. Dispatch needs it, because it stops a
        // process without descriptors when it next looks at its threads.
        for free in [1, 3, 5, 10, 13, 16] {
          let before = try openDescriptors()
          let result = try await withDescriptors(free: free) {
            let running = command.start()
            let error = await running.result.awaitedError
            _ = await running.end.awaitedError
            return (error, running.result)
          }
          switch result.0 {
          case nil:
            let text = try await result.1.value.text
            #expect(text == "text")
          case CommandError.notStarted(_, let code)?:
            #expect(code == EMFILE)
            failures += 1
          case let error?: Issue.record("\(free) descriptors: \(error)")
          }
          // The first command that succeeds opens two descriptors that the process keeps.
          let most = before + (isFirst ? 2 : 0)
          #expect(await eventually { (try? openDescriptors()) ?? .max <= most })
        }
        #expect(failures > 0)
        #expect(failures < 6)
        let text = try await command.run().value.text
        #expect(text == "text")
      }
    }
  }

  /// Returns whether a process is stopped by a signal.
  private func isStopped(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return status?.contains("State:\tT") ?? false
  }

  /// Forks this process, and runs a program in the child. Returns the number of the child, or `nil` if the system
  /// refuses.
  ///
  /// Swift marks `fork` as unavailable, because a child of a process with threads may do nothing but call `exec`.
  private func forked(running program: String, _ argument: String) -> pid_t? {
    guard let symbol = unsafe dlsym(nil, "fork") else { return nil }
    // Safe, because the type is that of the C declaration.
    let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    // The strings are made before, because the child must not allocate memory.
    var arguments = unsafe [strdup(program), strdup(argument), nil]
    defer {
      unsafe free(arguments[0])
      unsafe free(arguments[1])
    }
    return unsafe arguments.withUnsafeMutableBufferPointer { list in
      guard let start = list.baseAddress, let path = unsafe start[0] else { return nil }
      let child = fork()
      if child == 0 {
        unsafe execv(path, start)
        _exit(127)
      }
      return child > 0 ? child : nil
    }
  }

  /// Runs the body while this process may open only so many more descriptors, under a limit of 64.
  private func withDescriptors<Value>(free count: Int, _ body: () async throws -> Value) async throws -> Value {
    let former = setLimit(of: RLIMIT_NOFILE, to: 64)
    var copies: [Int32] = []
    while true {
      let copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      if copy < 0 { break }
      copies.append(copy)
    }
    #expect(copies.count >= count)
    for copy in copies.suffix(count) { close(copy) }
    defer {
      for copy in copies.dropLast(count) { close(copy) }
      setLimit(of: RLIMIT_NOFILE, to: former)
    }
    return try await body()
  }
#endif
