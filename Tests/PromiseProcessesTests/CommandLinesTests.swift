import Testing

@testable import PromiseProcesses

@Suite("Commands: lines of the output", .bounded) struct CommandLinesTests {
  /// Output in chunks, and its lines.
  static let cases: [(chunks: [String], lines: [String])] = [
    ([], []),
    (["a\nb\n"], ["a", "b"]),
    (["a\nb"], ["a", "b"]),
    (["a", "b", "c\nd", "e\n", "f"], ["abc", "de", "f"]),
    (["\n\n"], ["", ""]),
    (["a\r\nb\r\n"], ["a", "b"]),
    (["a\r", "\nb"], ["a", "b"]),
    (["a\rb\n\rc\n"], ["a\rb", "\rc"]),
    (["a\r"], ["a\r"]),
    (["\r\n\n"], ["", ""]),
    (["a\u{85}b\u{2028}c\0d\n"], ["a\u{85}b\u{2028}c\0d"]),
  ]

  @Test("A line ends with LF or CR LF, wherever the chunks are split", arguments: cases)
  func splits(_ chunks: [String], _ lines: [String]) {
    #expect(split(chunks.map { Data($0.utf8) }) == lines)
    let bytes = chunks.joined().utf8.map { Data([$0]) }
    #expect(split(bytes) == lines)
  }

  @Test("A carriage return at the end of a chunk does not count towards the length of a line")
  func length() {
    var splitter = OutputSplitter(endingAt: 10, mayEndWithReturn: true)
    for chunk in ["123", "45\r"] { splitter.add(Data(chunk.utf8)) }
    #expect(splitter.nextPiece() == nil)
    #expect(splitter.restLength == 5)
    splitter.add(Data("\n".utf8))
    #expect(splitter.nextPiece() == Data("12345".utf8))
    #expect(splitter.restLength == 0)
  }

  @Test("Bytes that are not UTF-8 are replaced, and a character may be in two chunks")
  func encoding() {
    #expect(
      split([Data([0x61, 0xFF, 0x0A]), Data([0xC3]), Data([0xA9, 0x0A, 0xC3])]) == ["a\u{FFFD}", "é", "\u{FFFD}"])
  }

  @Test("The lines of a program are those that it has written")
  func program() async throws {
    let command = shell(#"printf 'one\r\ntwo\n\nh\303\244ppy \377'; printf 'error\n' >&2"#).output(.streamed)
      .errorOutput(.streamed).start()
    #expect(try await Array(command.output.lines) == ["one", "two", "", "häppy \u{FFFD}"])
    #expect(try await Array(command.errorOutput.lines) == ["error"])
    #expect(try await command.result.value.status == 0)
  }

  @Test(
    "A line of exactly the limit is accepted, and one byte more is an error",
    arguments: ["12345\\n12345\\r\\n12345", "12345\\n123456\\n1", "123456\\r\\n", "123456"])
  func tooLong(_ text: String) async throws {
    let command = shell("printf '\(text)'").output(.streamed).start()
    let lines = command.output.lines(maximumLength: 5)
    if text.contains("6") {
      let error = await #expect(throws: CommandError.self) { try await Array(lines) }
      #expect(error.map { "\($0)" } == "a line in the output of /bin/sh is longer than the limit of 5 bytes")
    } else {
      #expect(try await Array(lines) == ["12345", "12345", "12345"])
    }
    #expect(try await command.result.value.status == 0)
  }

  @Test("A line without an end is refused at the limit, the sequence ends, and the rest of the output is discarded")
  func endless() async throws {
    let command = shell("head -c 3000000 /dev/zero; echo; echo next").output(.streamed).start()
    var lines = command.output.lines(maximumLength: 100_000).makeAsyncIterator()
    await #expect(throws: CommandError.self) { try await lines.next() }
    #expect(try await lines.next() == nil)
    #expect(try await command.result.value.status == 0)
  }

  private func split(_ chunks: [Data]) -> [String] {
    var splitter = OutputSplitter(endingAt: 10, mayEndWithReturn: true)
    var lines: [Data] = []
    for chunk in chunks {
      splitter.add(chunk)
      while let line = splitter.nextPiece() { lines.append(line) }
    }
    return (lines + [splitter.takeRest()].compactMap { $0 }).map { String(decoding: $0, as: UTF8.self) }
  }
}

@Suite("Commands: the channel of an output", .bounded) struct OutputChannelTests {
  private let channel = OutputChannel()

  @Test("A cancelled Task gets no chunk, and the next Task gets it", .rule("4.7"))
  func cancelledTask() async throws {
    let wakes = Log<Int>()
    channel.open { wakes.append(0) }
    let first = Task { try await channel.next(orThrow: TestError(1)) }
    #expect(await eventually { wakes.entries.count == 2 })
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await channel.next(orThrow: TestError(1))
    }
    late.cancel()
    channel.send(Data([1]))
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(try await channel.next(orThrow: TestError(1)) == Data([1]))
  }

  @Test("A call during another call gets an error, and the first call gets the chunk")
  func busy() async throws {
    let wakes = Log<Int>()
    channel.open { wakes.append(0) }
    let first = Task { try await channel.next(orThrow: TestError(1)) }
    #expect(await eventually { wakes.entries.count == 2 })
    await #expect(throws: TestError(2)) { try await channel.next(orThrow: TestError(2)) }
    channel.send(Data([1]))
    #expect(try await first.value == Data([1]))
  }

  @Test("Chunks come before the end in order, but an error comes first")
  func ending() async throws {
    let other = OutputChannel()
    for channel in [channel, other] {
      channel.send(Data([1]))
      channel.send(Data([2]))
    }
    channel.end()
    channel.end(throwing: TestError(1))
    #expect(try await channel.next(orThrow: TestError(2)) == Data([1]))
    #expect(try await channel.next(orThrow: TestError(2)) == Data([2]))
    #expect(try await channel.next(orThrow: TestError(2)) == nil)
    other.end(throwing: TestError(1))
    other.end()
    other.send(Data([3]))
    await #expect(throws: TestError(1)) { try await other.next(orThrow: TestError(2)) }
  }

  @Test("When the consumer leaves, the reader is woken and finds that the rest is to be discarded")
  func left() {
    let wakes = Log<Int>()
    channel.open { wakes.append(0) }
    #expect(channel.demand == .none)
    #expect(channel.claim())
    #expect(!channel.claim())
    channel.leave(isClaimed: false)
    #expect(channel.demand == .none)
    channel.leave(isClaimed: true)
    #expect(channel.demand == .discarding)
    #expect(wakes.entries.count == 2)
  }
}

extension CommandOutput {
  /// Reads the output to its end.
  func all() async throws -> Data {
    var all = Data()
    for try await chunk in self { all.append(chunk) }
    return all
  }
}
