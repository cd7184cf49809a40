import Testing

@testable import PromiseProcesses

@Suite("Commands: pipelines", .bounded) struct CommandPipeTests {
  private let folder: Folder
  private var fifo: String { folder.fifo }
  private var marker: String { folder.file("marker").path }

  init() throws { folder = try .withFifo() }

  @Test("A program reads all bytes of another, a pipeline may have more programs, and its output can be streamed")
  func output() async throws {
    let sorted = Command("printf", ["b\\na\\nb\\n"]).piped(to: Command("sort", ["-u"]))
    #expect(try await sorted.run().value.text == "a\nb")
    #expect(
      try await sorted.piped(to: Command("wc", ["-l"])).runToEnd().text.trimmingCharacters(in: .whitespaces) == "2")
    let input = Data(pattern(3_000_000))
    let command = Command("cat").input(input).piped(to: Command("cat")).output(.streamed).start()
    #expect(try await command.output.all() == input)
    #expect(try await command.result.value.status == 0)
  }

  @Test("A program neither waits for a reader of its errors, nor fails because the next one has stopped reading")
  func unread() async throws {
    let first = shell("head -c 300000 /dev/zero >&2; echo text").errorOutput(.streamed).output(.streamed)
    #expect(try await first.piped(to: Command("cat")).run().value.text == "text")
    #expect(try await Command("yes").piped(to: Command("head", ["-n", "1"])).run().value.text == "y")
    #expect(try await Command("yes").piped(to: Command("cat")).piped(to: Command("true")).run().value.status == 0)
  }

  @Test("The error of the first program that fails is that of the pipeline")
  func failed() async throws {
    let first = shell("echo text; echo reason >&2; exit 3")
    #expect(await first.piped(to: Command("cat")).failureText == "/bin/sh exited with status 3: reason")
    // The second program reads to the end, so that the first is not killed by its output.
    #expect(await first.piped(to: shell("cat; exit 4")).failureText == "/bin/sh exited with status 3: reason")
    #expect(await Command("true").piped(to: shell("exit 4")).failureText == "/bin/sh exited with status 4")
    #expect(
      await first.piped(to: Command("cat")).piped(to: Command("cat")).failureText
        == "/bin/sh exited with status 3: reason"
    )
    #expect(
      await shell("kill -9 $$").piped(to: Command("cat")).failureText == "/bin/sh was killed by signal 9 (Killed)")
    #expect(try await first.accepting(0...3).piped(to: Command("cat")).run().value.text == "text")
    // Only in a pipeline, the signal means that no program reads.
    #expect(await shell("kill -13 $$").piped(to: Command("cat")).failureText == nil)
    #expect(await shell("kill -13 $$").failureText != nil)
    #expect(await Command("true").piped(to: shell("kill -13 $$")).failureText != nil)
  }

  @Test("If one program cannot be found, the other does not start")
  func notFound() async throws {
    let marking = shell("echo 1 >'\(marker)'")
    let missing = Command("/no/such/tool")
    for command in [
      missing.piped(to: marking), Command("no-such-tool").piped(to: marking),
      marking.piped(to: Command("no-such-tool")),
    ] {
      let running = command.start()
      #expect(await running.result.awaitedError?.caseName == "CommandError.programNotFound")
      #expect(await running.end.awaitedError == nil)
      #expect(await running.processIdentifier.awaitedError is CommandError)
    }
    #expect(!FileManager.default.fileExists(atPath: marker))
  }

  @Test("If the last program cannot be started, the first is stopped, and the end waits for it")
  func lastNotStarted() async throws {
    let command = Command("sleep", ["1000"]).piped(to: Command("cat").directory(folder.file("nothing"))).start()
    #expect(await command.result.awaitedError?.caseName == "CommandError.noDirectory")
    #expect(await command.end.awaitedError == nil)
  }

  @Test("A cancellation stops all programs", .rule("4.3", "4.5"))
  func cancelled() async throws {
    let pids = folder.file("pids").path
    let command = shell("echo $$ >'\(pids)'; exec sleep 1000").piped(to: Command("cat")).piped(to: Command("cat"))
      .start()
    let first = try #require(await folder.numbers(in: "pids").first)
    let last = try await command.processIdentifier.value
    command.result.cancel()
    #expect(command.result.isCancelled)
    #expect(await command.end.awaitedError == nil)
    #expect(!exists(first))
    #expect(!exists(last))
  }

  @Test("A pipeline can be cancelled right after start(), and when only its first program still runs")
  func cancelledEarlyOrLate() async throws {
    for _ in 0..<30 {
      let command = Command("sleep", ["1000"]).piped(to: Command("cat")).start()
      command.result.cancel()
      #expect(await command.end.awaitedError == nil)
    }
    let command = shell("exec >&- 2>&-; exec sleep 1000").piped(to: Command("cat")).start()
    let last = try await command.processIdentifier.value
    #expect(await eventually { !exists(last) })
    command.result.cancel()
    #expect(await command.end.awaitedError == nil)
  }

  @Test("The result and the end wait for both programs, in either order")
  func waits() async throws {
    let firstIsLast = shell("echo text; exec >&-; read line <'\(fifo)'; exit 0").piped(to: Command("cat")).start()
    let last = try await firstIsLast.processIdentifier.value
    #expect(await eventually { !exists(last) })
    #expect(firstIsLast.result.isPending)
    #expect(firstIsLast.end.isPending)
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
    #expect(try await firstIsLast.result.value.text == "text")
    #expect(await firstIsLast.end.awaitedError == nil)

    let lastIsLast = Command("echo", ["text"]).piped(to: shell("read line; read other <'\(fifo)'; echo $line")).start()
    #expect(lastIsLast.result.isPending)
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
    #expect(try await lastIsLast.result.value.text == "text")
    #expect(await lastIsLast.end.awaitedError == nil)
  }
}
