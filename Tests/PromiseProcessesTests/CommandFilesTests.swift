import Testing

@testable import PromiseProcesses

@Suite("Commands: inherited and discarded files, and signals", .bounded) struct CommandFilesTests {
  private let folder: Folder
  private var fifo: String { folder.fifo }

  init() throws { folder = try .withFifo() }

  @Test("A discarded output is not in the result, and the other output is")
  func discarded() async throws {
    let command = shell("echo out; echo error >&2")
    let noErrors = try await command.errorOutput(.discarded).run().value
    #expect(noErrors.text == "out")
    #expect(noErrors.errorOutput.isEmpty)
    let noOutput = try await command.output(.discarded).run().value
    #expect(noOutput.output.isEmpty)
    #expect(noOutput.errorText == "error")
    #expect(try await command.output(.discarded).output(.collected).run().value.text == "out")
  }

  #if os(Linux)
    @Test("A discarded output is /dev/null, and an inherited file is that of the calling process")
    func links() async throws {
      func own(_ number: Int32) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      }
      let output = shell("link=$(readlink /proc/$$/fd/1); echo $link >&2")
      let errors = shell("readlink /proc/$$/fd/2")
      #expect(try await output.output(.discarded).run().value.errorText == "/dev/null")
      #expect(try await errors.errorOutput(.discarded).run().value.text == "/dev/null")
      #expect(try await output.output(.inherited).run().value.errorText == own(STDOUT_FILENO))
      #expect(try await errors.errorOutput(.inherited).run().value.text == own(STDERR_FILENO))
      let input = shell("readlink /proc/$$/fd/0")
      #expect(try await input.input(.inherited).run().value.text == own(STDIN_FILENO))
      #expect(try await input.input("text").input(.nothing).run().value.text == "/dev/null")
    }
  #endif

  @Test("A program reads the inherited input and writes to the inherited outputs")
  func inherited() async {
    // This test runs in a process of its own, because it replaces the standard files.
    await #expect(processExitsWith: .success) {
      let folder = try Folder()
      let file = try folder.write(Array("text".utf8), to: "in")
      let files = unsafe [
        open(file.path, O_RDONLY), open(folder.file("out").path, O_WRONLY | O_CREAT, 0o600),
        open(folder.file("errors").path, O_WRONLY | O_CREAT, 0o600),
      ]
      let former = [dup(STDOUT_FILENO), dup(STDERR_FILENO)]
      for (number, file) in files.enumerated() { dup2(file, Int32(number)) }
      let result = await shell("cat; echo error >&2").input(.inherited).output(.inherited).errorOutput(.inherited)
        .run().awaitedError
      dup2(former[0], STDOUT_FILENO)
      dup2(former[1], STDERR_FILENO)
      #expect(result == nil)
      #expect(try folder.bytes(of: "out") == Array("text".utf8))
      #expect(try folder.bytes(of: "errors") == Array("error\n".utf8))
    }
  }

  @Test("The process number is known when the program has started, and signals reach the program until it has ended")
  func signals() async throws {
    // Not SIGUSR1, which `SignalTests` ignore while they run: a program inherits that, and its shell could not trap it.
    let command = shell("trap 'echo signalled; exit' USR2; echo $$; while :; do sleep 0.01; done").output(.streamed)
      .start()
    var lines = command.output.lines.makeAsyncIterator()
    let process = try #require(try await lines.next().flatMap { pid_t($0) })
    #expect(try await command.processIdentifier.value == process)
    #expect(!command.send(signal: 1_000))
    #expect(command.result.isPending)
    #expect(command.send(signal: SIGUSR2))
    #expect(try await lines.next() == "signalled")
    #expect(try await command.result.value.status == 0)
    #expect(!command.send(signal: SIGUSR2))
  }

  @Test("A signal reaches the processes of the group only if the caller says so", arguments: [false, true])
  func group(_ toProcessGroup: Bool) async throws {
    let command = shell("sleep 1000 >/dev/null 2>&1 & echo $!; wait").output(.streamed).acceptingAnyTermination()
      .start()
    var lines = command.output.lines.makeAsyncIterator()
    let process = try #require(try await lines.next().flatMap { pid_t($0) })
    #expect(command.send(signal: SIGTERM, toProcessGroup: toProcessGroup))
    #expect(try await command.result.value.termination == .killed(signal: SIGTERM))
    let end = command.end
    if !toProcessGroup {
      #expect(exists(process))
      #expect(end.isPending)
      kill(process, SIGKILL)
    }
    #expect(await end.awaitedError == nil)
  }

  @Test("In the group of the calling process, a signal to the group reaches the program alone")
  func joinedGroup() async throws {
    let command = Command("sleep", ["1000"]).joiningProcessGroup().acceptingAnyTermination().start()
    _ = try await command.processIdentifier.value
    #expect(command.send(signal: SIGKILL, toProcessGroup: true))
    #expect(try await command.result.value.termination == .killed(signal: SIGKILL))
  }

  @Test("A program that waits for its input gets no signal, and a cancellation ends its output and its process number")
  func waiting() async throws {
    let waiting = Command("cat").input(fileAt: URL(filePath: fifo)).output(.streamed).start()
    let first = waiting.processIdentifier
    let second = waiting.processIdentifier
    #expect(!waiting.send(signal: SIGTERM))
    first.cancel()
    #expect(second.isPending)
    #expect(waiting.result.isPending)
    waiting.result.cancel()
    #expect(await second.awaitedError is CancellationError)
    #expect(second.isCancelled)
    await #expect(throws: CancellationError.self) { try await waiting.output.all() }
  }

  @Test("Clients that look only at the result get no report about a promise that they have not asked for", .rule("7.1"))
  func unhandled() async {
    // This test runs in a process of its own, because it replaces the hook of the process.
    await #expect(processExitsWith: .success) {
      let reports = Log<String>()
      Diagnostics.onUnhandledRejection { reports.append("\($0.error)") }
      let commands = [
        Command("/no/such/tool"), shell("exit 1").piped(to: Command("cat")),
        Command("/no/such/tool").piped(to: Command("cat")), Command("cat").piped(to: Command("/no/such/tool")),
        shell("exit 1").piped(to: shell("exit 2")), shell("yes >&2").maximumOutputSize(5),
      ]
      for command in commands {
        let running = command.output(.streamed).start()
        #expect(await running.result.awaitedError is CommandError)
        #expect(await running.end.awaitedError == nil)
      }
      #expect(reports.entries.isEmpty)
      // The hook works.
      do { _ = Promise<Int>.rejected(TestError(1)) }
      #expect(await eventually { reports.entries.count == 1 })
    }
  }
}
