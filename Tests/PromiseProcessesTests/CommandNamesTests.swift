import Testing

@testable import PromiseProcesses

@Suite("Commands: arguments and output that are not text", .bounded) struct CommandNamesTests {
  @Test("Arguments that are not UTF-8 are passed unchanged, in the order of the calls")
  func bytes() async throws {
    let latin = Data([0x61, 0xE9, 0x0A])
    let command = Command("printf", ["%s|"]).arguments([latin, Data()]).arguments(["b", "é"])
    #expect(try await command.run().value.output == latin + Data("||b|é|".utf8))
  }

  @Test("An argument with a null character is refused, whichever call has added it")
  func nullCharacter() async {
    let text = "true was not started: argument 2 has characters that cannot be passed to a program"
    #expect(await Command("true", ["a"]).arguments([Data([0x61, 0])]).failureText == text)
    #expect(await Command("true", ["a"]).arguments(["a\0"]).failureText == text)
  }

  @Test("The names of files that a null character ends are the arguments of another program")
  func names() async throws {
    let folder = try Folder()
    let names = ["a b", "line\nbreak", "é"]
    for name in names { _ = try folder.write([], to: name) }
    let find = Command("find", [".", "-type", "f", "-print0"]).directory(folder.url).output(.streamed).start()
    let found = try await Array(find.output.pieces(separatedBy: 0))
    #expect(found.map { String(decoding: $0, as: UTF8.self) }.sorted() == names.map { "./\($0)" }.sorted())
    _ = try await Command("rm", ["--"]).arguments(found).directory(folder.url).run().value
    #expect(try folder.names.isEmpty)
  }

  @Test(
    "A separator ends a piece, and a carriage return before it stays",
    arguments: [
      ("a;b;", ["a", "b"]), ("a;b", ["a", "b"]), (";;a", ["", "", "a"]), ("", []), ("a\r;\n;", ["a\r", "\n"]),
    ])
  func pieces(_ text: String, _ pieces: [String]) async throws {
    let command = Command("printf", [text]).output(.streamed).start()
    let found = try await Array(command.output.pieces(separatedBy: UInt8(ascii: ";")))
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == pieces)
  }

  @Test("A client can index a piece from 0, and a piece that it keeps does not retain the chunk")
  func copies() async throws {
    let channel = OutputChannel()
    let output = CommandOutput(program: "find", part: "standard output", claimants: OutputClaimants(of: channel))
    let releases = Log<Int>()
    channel.send(Data("first;second;th".utf8).chunk { releases.append(0) })
    channel.send(Data("ird;fourth".utf8).chunk { releases.append(1) })
    channel.end()
    let pieces = try await Array(output.pieces(separatedBy: UInt8(ascii: ";")))
    #expect(pieces == ["first", "second", "third", "fourth"].map { Data($0.utf8) })
    #expect(pieces.map(\.startIndex) == [0, 0, 0, 0])
    #expect(releases.entries.sorted() == [0, 1])
  }

  @Test("A piece of exactly the limit is accepted, and one byte more is an error that ends the sequence")
  func tooLong() async throws {
    let command = Command("printf", ["12345;1234\r;123456;1"]).output(.streamed).start()
    var pieces = command.output.pieces(separatedBy: UInt8(ascii: ";"), maximumLength: 5).makeAsyncIterator()
    #expect(try await pieces.next() == Data("12345".utf8))
    #expect(try await pieces.next() == Data("1234\r".utf8))
    let error = await #expect(throws: CommandError.self) { try await pieces.next() }
    #expect(error.map { "\($0)" } == "a piece of the output of printf is longer than the limit of 5 bytes")
    #expect(try await pieces.next() == nil)
    #expect(try await command.result.value.status == 0)
  }
}

extension Data {
  /// Returns data with the same bytes.
  ///
  /// - Parameter released: runs when the memory of the bytes is released.
  fileprivate func chunk(_ released: @escaping @Sendable () -> Void) -> Data {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    // Safe, because the buffer has the size of this data, and is deallocated once.
    unsafe copyBytes(to: bytes)
    guard let start = bytes.baseAddress else { return Data() }
    return unsafe Data(
      bytesNoCopy: start, count: count,
      deallocator: .custom { start, _ in
        unsafe start.deallocate()
        released()
      })
  }
}

@Suite("Commands: both outputs in one", .bounded) struct CommandMergingTests {
  private let script = "echo 1; echo 2 >&2; echo 3; echo 4 >&2; exit 3"

  @Test("Merged outputs arrive in the order in which the program has written them, collected and streamed")
  func order() async throws {
    let merged = shell(script).mergingErrorOutput().acceptingAnyTermination()
    let result = try await merged.run().value
    #expect(result.text == "1\n2\n3\n4")
    #expect(result.errorOutput.isEmpty)
    let streamed = merged.output(.streamed).start()
    #expect(try await Array(streamed.output.lines) == ["1", "2", "3", "4"])
    #expect(try await merged.piped(to: Command("cat")).run().value.text == "1\n2\n3\n4")
    #expect(try await merged.output(.discarded).run().value.output.isEmpty)
  }

  @Test("The message of a failure shows the end of both, if they are collected")
  func message() async throws {
    let merged = shell(script).mergingErrorOutput()
    #expect(await merged.failureText == "/bin/sh exited with status 3: 1 2 3 4")
    #expect(await merged.output(.discarded).failureText == "/bin/sh exited with status 3")
  }

  @Test("A later destination of the standard error undoes the merging")
  func undone() async throws {
    let result = try await shell(script).mergingErrorOutput().errorOutput(.collected).acceptingAnyTermination().run()
      .value
    #expect(result.text == "1\n3")
    #expect(result.errorText == "2\n4")
  }

  @Test("The limit applies to both outputs together")
  func limit() async throws {
    let merged = shell("printf 123; printf 456 >&2").mergingErrorOutput()
    #expect(try await merged.maximumOutputSize(6).run().value.text == "123456")
    #expect(await merged.maximumOutputSize(5).run().awaitedError?.caseName == "CommandError.outputTooLarge")
  }

  #if os(Linux)
    @Test("A program that inherits the standard output has its standard error there, too")
    func inherited() async throws {
      let folder = try Folder()
      let file = folder.file("log").path
      // Written with a redirection of its own, after the script has read both links.
      let links = "one=$(readlink /proc/$$/fd/1); two=$(readlink /proc/$$/fd/2); printf '%s\\n' $one $two >'\(file)'"
      _ = try await shell(links).output(.inherited).mergingErrorOutput().run().value
      let names = String(decoding: try folder.bytes(of: "log"), as: UTF8.self).split(separator: "\n")
      #expect(names.count == 2)
      #expect(names.first == names.last)
    }
  #endif
}
