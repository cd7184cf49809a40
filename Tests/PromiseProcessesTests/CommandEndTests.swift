import PromiseGates
import Testing

@testable import PromiseProcesses

@Suite("Commands: the end of a program", .bounded) struct CommandEndTests {
  private let folder: Folder
  private let world = TestWorld()
  private var pids: String { folder.file("pids").path }
  private var fifo: String { folder.fifo }

  init() throws { folder = try .withFifo() }

  /// A program that ignores `SIGTERM`.
  private var stubborn: Command {
    shell("trap '' TERM; echo $$ >'\(pids)'; exec sleep 1000").gracePeriod(.seconds(60))
  }

  /// A program that ends and leaves behind a process in its group. That process ends when the test writes to the fifo.
  private var leavingProcess: Command { shell("(read line <'\(fifo)') >/dev/null 2>&1 & echo $! >'\(pids)'") }

  @Test(
    "A cancelled result settles at once, and the end when the grace period has killed the program", .rule("4.3", "4.9"),
    arguments: [ExitObservation.descriptor, .thread])
  func cancelled(_ exit: ExitObservation) async throws {
    let command = world.run { stubborn.start(observingExitBy: exit) }
    let end = command.end
    let process = try #require(await folder.numbers(in: "pids").first)
    world.advance(by: .seconds(3_600))
    command.result.cancel()
    #expect(command.result.isCancelled)
    // The program may run before the thread that starts it continues. Only then does the grace period begin.
    #expect(await eventually { (try? world.verify(.timers)) == nil })
    world.advance(by: .seconds(59))
    #expect(exists(process))
    #expect(end.isPending)
    world.advance(by: .seconds(1))
    #expect(await end.awaitedError == nil)
    #expect(!exists(process))
  }

  @Test(
    "The end waits for the processes that the program has started, and not only for the program",
    arguments: [ExitObservation.descriptor, .thread])
  func processes(_ exit: ExitObservation) async throws {
    let command = leavingProcess.start(observingExitBy: exit)
    let end = command.end
    #expect(try await command.result.value.status == 0)
    let process = try #require(await folder.numbers(in: "pids").first)
    #expect(end.isPending)
    #expect(exists(process))
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
    #expect(await end.awaitedError == nil)
    #expect(await eventually { !exists(process) })
  }

  @Test(
    "A process that writes when its output is not awaited any more does not wait for a reader, and the end comes",
    arguments: [ExitObservation.descriptor, .thread])
  func lateOutput(_ exit: ExitObservation) async throws {
    let tool = shell("(read line <'\(fifo)'; head -c 1000000 /dev/zero) & echo $! >'\(pids)'").gracePeriod(.seconds(60))
    let command = world.run { tool.start(observingExitBy: exit) }
    let end = command.end
    let process = try #require(await folder.numbers(in: "pids").first)
    // Waits for the output of the process, which has inherited it.
    #expect(await eventually { (try? world.verify(.timers)) == nil })
    world.advance(by: .seconds(60))
    #expect(try await command.result.value.status == 0)
    #expect(end.isPending)
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
    #expect(await eventually { !exists(process) })
    #expect(await eventually { end.isFulfilled })
  }

  #if os(Linux)
    @Test("A process has ended when none of its threads runs, even if its name looks like a state")
    func states() {
      func isRunning(_ name: String, _ state: String, threads: Int) -> Bool {
        ProcessGroup.isRunning(Data("12 (\(name)) \(state) 1 12 12 0 -1 4 1 0 0 0 0 0 0 0 20 0 \(threads) 0 9\n".utf8))
      }
      #expect(isRunning("sleep", "S", threads: 1))
      #expect(isRunning(") Z 1", "R", threads: 1))
      #expect(!isRunning("sleep", "Z", threads: 1))
      // The first thread of a program that calls `dispatchMain` ends before the program does.
      #expect(isRunning("sleep", "Z", threads: 2))
      #expect(!isRunning(") S 1", "X", threads: 0))
    }
  #endif

  @Test("A cancelled promise for the end neither stops the program nor settles other promises for it", .rule("4.10"))
  func cancelledEnd() async throws {
    let command = shell("read line <'\(fifo)'; exit 0").start()
    let first = command.end
    let second = command.end
    first.map { 1 }.cancel(upstream: true)
    #expect(first.isCancelled)
    #expect(second.isPending)
    #expect(command.end.isPending)
    #expect(command.result.isPending)
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
    #expect(await second.awaitedError == nil)
    #expect(command.result.error == nil)
  }

  @Test("A program that cannot be started, or is cancelled before, has an end, and its other promises and outputs fail")
  func notStarted() async throws {
    let cancelledAtOnce = Command("sleep", ["1000"]).start()
    cancelledAtOnce.result.cancel()
    let tooLarge = shell("exec yes").maximumOutputSize(5).start()
    for command in [cancelledAtOnce, tooLarge] {
      #expect(await command.result.awaitedError != nil)
      #expect(await command.end.awaitedError == nil)
    }
    let failing = [
      Command("/no/such/tool"), Command("true").directory(URL(filePath: "/no/such/folder")), Command("a\0b"),
      Command("true").input(fileAt: URL(filePath: "/no/such/file")),
    ].map { $0.output(.streamed).errorOutput(.streamed).start() }
    for command in failing {
      #expect(await command.result.awaitedError is CommandError)
      #expect(await command.end.awaitedError == nil)
      #expect(await command.processIdentifier.awaitedError is CommandError)
      #expect(!command.send(signal: SIGTERM))
      for output in [command.output, command.errorOutput] {
        await #expect(throws: CommandError.self) { try await output.all() }
      }
    }
  }

  @Test("In the group of the calling process, the end waits for the program alone")
  func joinedGroup() async throws {
    let command = leavingProcess.joiningProcessGroup().start()
    #expect(await command.end.awaitedError == nil)
    let process = try #require(await folder.numbers(in: "pids").first)
    #expect(exists(process))
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
  }

  @Test("A gate calls the next closure only when the program of a cancelled closure has ended", .rule("4.6"))
  func gate() async throws {
    let gate = SerialGate()
    let command = stubborn
    let world = world
    let first = gate.asyncRun { try await command.runToEnd(timers: world.timers) }
    let process = try #require(await folder.numbers(in: "pids").first)
    let second = gate.run { .fulfilled(exists(process)) }
    first.cancel()
    #expect(first.isCancelled)
    #expect(await eventually { (try? world.verify(.timers)) == nil })
    #expect(second.isPending)
    world.advance(by: .seconds(60))
    #expect(try await second.value == false)
  }

  @Test("runToEnd returns the result, throws the error, discards streams and starts no program in a cancelled Task")
  func runToEnd() async throws {
    #expect(try await Command("echo", ["text"]).runToEnd().text == "text")
    await #expect(throws: CommandError.self) { try await shell("exit 1").runToEnd() }
    // The program writes more than a pipe holds, and does not wait for a reader.
    #expect(try await Command("head", ["-c", "3000000", "/dev/zero"]).output(.streamed).runToEnd().output.isEmpty)
    let marker = folder.file("marker").path
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await shell("echo 1 >'\(marker)'").runToEnd()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: marker))
  }
}
