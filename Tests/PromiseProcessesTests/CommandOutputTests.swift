import Testing

@testable import PromiseProcesses

@Suite("Commands: output while the program runs", .bounded) struct CommandOutputTests {
  private let folder: Folder
  private var fifo: String { folder.fifo }

  init() throws { folder = try .withFifo() }

  @Test("A chunk comes as soon as the program has written it, and the end comes when the program has closed its output")
  func chunks() async throws {
    let command = shell("printf first; read line <'\(fifo)'; printf second; printf warning >&2").output(.streamed)
      .start()
    var chunks = command.output.makeAsyncIterator()
    #expect(try await chunks.next() == Data("first".utf8))
    #expect(command.result.isPending)
    try openFifo()
    #expect(try await chunks.next() == Data("second".utf8))
    #expect(try await chunks.next() == nil)
    #expect(try await chunks.next() == nil)
    let result = try await command.result.value
    #expect(result.output.isEmpty)
    #expect(result.errorText == "warning")
  }

  @Test("Both outputs are read at the same time, and neither loses or changes a byte")
  func both() async throws {
    let input = Data(pattern(3_000_000))
    let command = Command("tee", ["/dev/stderr"]).input(input).output(.streamed).errorOutput(.streamed).start()
    async let errors = command.errorOutput.all()
    #expect(try await command.output.all() == input)
    #expect(try await errors == input)
    #expect(try await command.result.value.errorOutput.isEmpty)
  }

  @Test("A program that writes faster than its consumer reads has to wait")
  func backPressure() async throws {
    // The script counts the blocks of 4,096 bytes that it has written. A pipe holds 16 of them on Linux.
    let script = """
      block=$(printf %04096d 0); i=0
      while [ $i -lt 1000 ]; do printf %s "$block"; i=$((i + 1)); echo $i >'\(folder.file("count").path)'; done
      """
    func count() -> Int {
      let text = try? String(contentsOf: folder.file("count"), encoding: .utf8)
      return text.flatMap { Int($0.trimmingCharacters(in: .newlines)) } ?? 0
    }
    let command = shell(script).output(.streamed).start()
    var chunks = command.output.makeAsyncIterator()
    var received = 0
    for _ in 0..<3 {
      let full = received / 4_096 + 15
      #expect(await eventually { count() >= full })
      // This command takes longer than a program without back-pressure needs for many blocks.
      _ = try await Command("true").run().value
      #expect(count() <= received / 4_096 + 17)
      received += try #require(try await chunks.next()).count
    }
    while let chunk = try await chunks.next() { received += chunk.count }
    #expect(received == 4_096_000)
    #expect(try await command.result.value.status == 0)
  }

  enum Reader: CaseIterable, Sendable { case leavesEarly, neverReads, isReleased }

  @Test("An output that is not read to its end is discarded, and the program goes on", arguments: Reader.allCases)
  func left(_ reader: Reader) async throws {
    let done = folder.file("done").path
    var program: RunningCommand? = shell("head -c 3000000 /dev/zero; echo 1 >'\(done)'").output(.streamed).start()
    let result = try #require(program?.result)
    if let output = program?.output {
      switch reader {
      case .leavesEarly: for try await chunk in output where !chunk.isEmpty { break }
      case .isReleased: _ = output.makeAsyncIterator()
      case .neverReads: program = nil
      }
    }
    #expect(try await result.value.output.isEmpty)
    #expect(await folder.numbers(in: "done") == [1])
    withExtendedLifetime(program) {}
  }

  @Test("A cancelled result ends the output with its reason, and the program can clean up", .rule("4.3"))
  func cancelled() async throws {
    let done = folder.file("done").path
    let script =
      "trap 'head -c 300000 /dev/zero; echo 1 >\"\(done)\"; exit' TERM; echo ready; while :; do sleep 0.01; done"
    let command = shell(script).output(.streamed).start(timers: HandRungTimers())
    var lines = command.output.lines.makeAsyncIterator()
    #expect(try await lines.next() == "ready")
    let canceller = Task { command.result.cancel(reason: TestError(7)) }
    await #expect(throws: TestError(7)) { try await lines.next() }
    await canceller.value
    await #expect(throws: TestError(7)) { try await lines.next() }
    #expect(await folder.numbers(in: "done") == [1])
    #expect(await command.end.awaitedError == nil)
  }

  @Test("If the program ends before its output is read, the result does not wait, and the output can be read later")
  func readLater() async throws {
    let command = shell("head -c 60000 /dev/zero; printf end").output(.streamed).start()
    #expect(try await command.result.value.status == 0)
    #expect(try await command.output.all() == Data(count: 60_000) + Data("end".utf8))
  }

  @Test("The result does not wait for the grace period if another process closes an output that is not read yet")
  func closedUnread() async throws {
    let world = TestWorld()
    // On macOS, an end behind more output is not noticed.
    #if canImport(Darwin)
      let late = ""
    #else
      let late = "echo late"
    #endif
    let script = "echo early; (read line <'\(fifo)'; \(late)) & exit 0"
    let command = shell(script).output(.streamed).start(timers: world.timers)
    // The program has ended, and its output is awaited.
    #expect(await eventually { (try? world.verify(.timers)) == nil })
    #expect(command.result.isPending)
    try openFifo()
    #expect(await eventually { !command.result.isPending })
    try world.verify(.timers)
    #expect(try await command.output.all() == Data("early\n\(late.isEmpty ? "" : "late\n")".utf8))
  }

  @Test("If another process holds the output open, the output ends with the grace period", .rule("4.9"))
  func heldOutput() async throws {
    let timers = HandRungTimers()
    let command = shell("sleep 1000 & echo $!").output(.streamed).start(timers: timers)
    let lines = Log<String?>()
    let reader = Task {
      for try await line in command.output.lines { lines.append(line) }
      lines.append(nil)
    }
    #expect(await eventually { lines.entries.count == 1 })
    #expect(await timers.advance { lines.entries.count == 2 })
    try await reader.value
    #expect(try await command.result.value.status == 0)
    let process = try #require(lines.entries.first??.split(separator: " ").first.flatMap { pid_t($0) })
    #expect(exists(process))
    kill(process, SIGKILL)
  }

  @Test("The limit applies only to collected output, and a collected output that is too large ends the other")
  func limits() async throws {
    let fits = shell("echo 1234567890").output(.streamed).maximumOutputSize(5).start()
    #expect(try await fits.output.all().count == 11)
    // The shell itself holds the output open.
    let command = shell("yes >&2; exit 0").output(.streamed).maximumOutputSize(5).start()
    await #expect(throws: CommandError.self) { try await command.output.all() }
    #expect(await command.result.awaitedError.map { "\($0)" }?.contains("larger than the limit of 5 bytes") == true)
  }

  @Test("An output that is not streamed, and a second reader, get errors that say what to do")
  func misuse() async throws {
    let collected = Command("true").start()
    let notStreamed = await #expect(throws: CommandError.self) { try await collected.errorOutput.all() }
    #expect(
      notStreamed.map { "\($0)" }
        == "the standard error of true is not streamed: start the command with output(.streamed) or errorOutput(.streamed)"
    )
    let streamed = shell("echo text").output(.streamed).start()
    #expect(try await streamed.output.all() == Data("text\n".utf8))
    let second = await #expect(throws: CommandError.self) { try await streamed.output.all() }
    #expect(
      second.map { "\($0)" }
        == "the standard output of /bin/sh has another reader already: keep one iterator, and use it from one Task at a time"
    )
  }

  @Test("A program that has ended, or was cancelled, retains nothing", .rule("4.9"), .leavingNothing)
  func released() async throws {
    for isCancelled in [false, true] {
      weak var channel: OutputChannel?
      do {
        let command = shell(isCancelled ? "echo text; exec sleep 1000" : "echo text").output(.streamed).start()
        channel = command.output.claimants?.channel
        let tracked = Tracked(Tracked.Census())
        let status = command.result.map { [tracked] in tracked.carrying($0.status) }
        let end = command.end.map { [tracked] in tracked.carrying(()) }
        for try await chunk in command.output where !chunk.isEmpty { break }
        if isCancelled { command.result.cancel() }
        _ = await status.awaitedError
        _ = await end.awaitedError
      }
      #expect(await eventually { channel == nil })
    }
  }

  #if os(Linux)
    @Test("An output of 40 MB takes little memory, as chunks and as lines")
    func memory() async {
      await #expect(processExitsWith: .success) {
        let line = String(repeating: "x", count: 999)
        let command = shell("yes \(line) | head -c 40000000").output(.streamed)
        // The first program loads what all programs need.
        _ = try await shell("echo text").output(.streamed).start().output.all()
        let before = try mostResidentBytes()
        var bytes = 0
        var count = 0
        for try await chunk in command.start().output { bytes += chunk.count }
        for try await text in command.start().output.lines { count += text == line ? 1 : 0 }
        #expect(bytes == 40_000_000)
        #expect(count == 40_000)
        #expect(try mostResidentBytes() - before < 16 << 20)
      }
    }
  #endif

  private func openFifo() throws { try FileHandle(forWritingTo: URL(filePath: fifo)).close() }
}
