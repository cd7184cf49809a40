import Testing

@testable import PromiseProcesses

@Suite("Commands: stopping and ending", .bounded) struct CommandStopTests {
  private let folder: Folder
  private var pids: String { folder.file("pids").path }

  init() throws { folder = try .withFifo() }

  @Test("No program keeps running if its promise is cancelled right after start(), or when the program has started")
  func cancelledFirst() async throws {
    var commands: [RunningCommand] = []
    for number in 0..<50 {
      let command = Command("sleep", ["1000"]).start()
      if number % 2 == 0 { _ = try await command.processIdentifier.value }
      command.result.cancel()
      commands.append(command)
    }
    var startedCount = 0
    for command in commands {
      try await command.result.whenFinished().value
      guard let process = try? await command.processIdentifier.value else { continue }
      startedCount += 1
      #expect(!exists(process))
    }
    #expect(startedCount >= 25)
  }

  @Test("A program that has left its group is stopped, and so are the processes that it has left there")
  func leftGroup() async throws {
    let script = """
      $SIG{TERM} = "IGNORE"; $pid = fork(); exec("sleep", "1000") unless $pid;
      setpgrp(0, getpgrp(getppid())) or die; open(F, ">", "\(pids)"); print F "$$ $pid\\n"; close(F); exec("sleep", "1000")
      """
    let world = TestWorld()
    let running = world.run { Command("perl", ["-e", script]).gracePeriod(.seconds(60)).start() }
    let processes = await folder.numbers(in: "pids")
    try #require(processes.count == 2)
    defer { for process in processes { kill(process, SIGKILL) } }
    #expect(getpgid(processes[0]) == getpgrp())
    #expect(running.send(signal: SIGCONT, toProcessGroup: true))
    running.result.cancel()
    world.advance(by: .seconds(60))
    for process in processes { #expect(await eventually { hasEnded(process) || !exists(process) }) }
  }

  @Test("A program that gets SIGTERM has time to clean up")
  func cleanUp() async throws {
    let done = folder.file("done").path
    let script = """
      trap 'head -c 300000 /dev/zero; echo 1 >"\(done)"; exit' TERM; echo $$ >'\(pids)'; while :; do sleep 0.01; done
      """
    let promise = shell(script).run(timers: HandRungTimers())
    let process = try #require(await folder.numbers(in: "pids").first)
    promise.cancel()
    // The program writes more than a pipe holds. Its output is read, although no promise waits for it.
    #expect(await folder.numbers(in: "done") == [1])
    #expect(await eventually { !exists(process) })
  }

  @Test(
    "A process that ignores SIGTERM is killed after the grace period, even if the program has ended before",
    .rule("4.5"), arguments: [ExitObservation.descriptor, .thread])
  func helper(_ exit: ExitObservation) async throws {
    let world = TestWorld()
    let promise = world.run { stubbornHelper.gracePeriod(.seconds(60)).run(observingExitBy: exit) }
    let processes = await folder.numbers(in: "pids")
    try #require(processes.count == 2)
    defer { kill(processes[1], SIGKILL) }
    promise.cancel()
    #expect(await eventually { hasEnded(processes[0]) || !exists(processes[0]) })
    world.advance(by: .seconds(59))
    #expect(exists(processes[1]))
    world.advance(by: .seconds(1))
    #expect(await eventually { !exists(processes[0]) && !exists(processes[1]) })
    try world.verify(.timers)
  }

  @Test("A cancellation gives the whole grace period, even if the output of another process is already awaited")
  func wholePeriod() async throws {
    let world = TestWorld()
    let script = "trap '' TERM; sleep 1000 & echo $$ $! >'\(pids)'"
    let promise = world.run { shell(script).gracePeriod(.seconds(60)).run() }
    let processes = await folder.numbers(in: "pids")
    try #require(processes.count == 2)
    #expect(await eventually { (try? world.verify(.timers)) == nil })
    world.advance(by: .seconds(59))
    promise.cancel()
    world.advance(by: .seconds(59))
    // This command takes longer than any effect of the first timer.
    _ = try await Command("true").run().value
    #expect(try ProcessGroup(ledBy: processes[0]).runningProcess == processes[1])
    world.advance(by: .seconds(1))
    #expect(await eventually { !exists(processes[0]) && !exists(processes[1]) })
  }

  @Test(
    "A cancellation ends the program and its processes, and does not wait for the end of the grace period",
    .rule("4.3", "4.5", "4.9"), arguments: [ExitObservation.descriptor, .thread])
  func earlyEnd(_ exit: ExitObservation) async throws {
    let world = TestWorld()
    let promise = world.run { shell("sleep 1000 & echo $$ $! >'\(pids)'; wait").run(observingExitBy: exit) }
    let processes = await folder.numbers(in: "pids")
    #expect(processes.count == 2)
    #expect(processes.allSatisfy(exists))
    promise.cancel()
    #expect(promise.isCancelled)
    for process in processes { #expect(await eventually { !exists(process) }) }
    #expect(await eventually { (try? world.verify(.timers)) != nil })
  }

  /// A program that starts a process which ignores `SIGTERM` and does not hold the output open.
  private var stubbornHelper: Command {
    shell(
      """
      (trap '' TERM; echo 1 >'\(folder.file("ready").path)'; exec sleep 1000) >/dev/null 2>&1 &
      while ! [ -s '\(folder.file("ready").path)' ]; do sleep 0.01; done
      echo $$ $! >'\(pids)'; wait
      """)
  }

  #if os(Linux)
    @Test("Without a free descriptor, it is unknown whether a process of the group runs")
    func noDescriptors() async throws {
      // This test sets the limit in a process of its own, and only for a moment, because Dispatch stops a process
      // without descriptors when it next looks at its threads.
      await #expect(processExitsWith: .success) {
        let command = Command("sleep", ["1000"]).start()
        let process = try await command.processIdentifier.value
        let group = ProcessGroup(ledBy: process)
        let unknown = withoutDescriptors { Result { try group.runningProcess } }
        #expect(throws: (any Error).self) { try unknown.get() }
        let running = try group.runningProcess
        #expect(running == process)
        command.result.cancel()
        #expect(await command.end.awaitedError == nil)
      }
    }
  #endif

  @Test("In the group of the calling process, only the program itself is stopped")
  func joinedGroup() async throws {
    let timers = HandRungTimers()
    let command = shell("sleep 1000 & echo $$ $! >'\(pids)'; wait").joiningProcessGroup()
    let promise = command.run(timers: timers)
    let processes = await folder.numbers(in: "pids")
    try #require(processes.count == 2)
    #expect(getpgid(processes[0]) == getpgrp())
    promise.cancel()
    // The other process holds the output open, so the status is collected only when the grace period is over.
    #expect(await timers.advance { !exists(processes[0]) })
    #expect(exists(processes[1]))
    kill(processes[1], SIGKILL)
  }

  @Test("Without a cancellation, a process that holds the output open delays the promise by the grace period only")
  func heldOutput() async throws {
    let timers = HandRungTimers()
    let promise = shell("sleep 1000 & echo $!").run(timers: timers)
    #expect(await timers.advance { !promise.isPending })
    let process = try #require(pid_t(try await promise.value.text))
    #expect(exists(process))
    kill(process, SIGKILL)
  }

  @Test("Output that another process writes after the program has ended belongs to the result")
  func lateOutput() async throws {
    // Opening the fifo blocks until this test opens the other end, after the shell has ended.
    let promise = shell("echo $$ >'\(pids)'; (read line <'\(folder.fifo)'; echo late $line) & exit 0").run(
      timers: HandRungTimers())
    let process = try #require(await folder.numbers(in: "pids").first)
    #expect(await eventually { hasEnded(process) })
    let file = try #require(FileHandle(forWritingAtPath: folder.fifo))
    try file.write(contentsOf: Data("news\n".utf8))
    try file.close()
    #expect(try await promise.value.text == "late news")
  }

  @Test(
    "If other code collects the status, the result is rejected instead of hanging, and the end is fulfilled",
    arguments: [ExitObservation.descriptor, .thread])
  func unknownStatus(_ exit: ExitObservation) async throws {
    // The subshell keeps the output open until this test writes to the fifo. Until then the library does not collect
    // the status.
    let command = shell("echo $$ >'\(pids)'; (read line <'\(folder.fifo)') & exit 7").acceptingAnyTermination().start(
      observingExitBy: exit, timers: HandRungTimers())
    let process = try #require(await folder.numbers(in: "pids").first)
    var status: Int32 = 0
    var collected: pid_t
    repeat { collected = unsafe waitpid(process, &status, 0) } while collected < 0 && errno == EINTR
    #expect(collected == process)
    #expect(command.result.isPending)
    try FileHandle(forWritingTo: URL(filePath: folder.fifo)).close()
    let error = await command.result.awaitedError as? CommandError
    #expect(error.map { "\($0)" } == "/bin/sh has ended, but other code of this process has collected its status")
    #expect(await command.end.awaitedError == nil)
  }

  @Test("At the end of a program its status is collected, even without a client, and its timer cancelled", .rule("4.9"))
  func collected() async throws {
    do { _ = shell("echo $$ >'\(pids)'").run() }
    let process = try #require(await folder.numbers(in: "pids").first)
    #expect(await eventually { !exists(process) })
    for exit in [ExitObservation.descriptor, .thread] {
      let world = TestWorld()
      let promise = world.run { shell("echo $$").run(observingExitBy: exit) }
      let process = try #require(pid_t(try await promise.value.text))
      #expect(!exists(process))
      // The thread that has settled the promise goes on to note the end of the program.
      #expect(await eventually { (try? world.verify()) != nil })
    }
  }
}
