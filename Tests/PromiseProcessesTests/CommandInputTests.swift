import Testing

@testable import PromiseProcesses

@Suite("Commands: input from named pipes and devices", .bounded) struct CommandInputTests {
  private let folder: Folder
  private var fifo: URL { folder.file("fifo") }

  init() throws { folder = try .withFifo() }

  @Test("Any number of commands can wait for the writer of a named pipe, and other commands run meanwhile")
  func manyWaiting() async throws {
    // There are more commands than Dispatch has threads.
    let waiting = (0..<300).map { _ in Command("cat").input(fileAt: fifo).run() }
    defer { writeNothing() }
    let other = Command("echo", ["ran"]).run()
    #expect(await eventually { !other.isPending })
    #expect(waiting.allSatisfy { $0.isPending })
    for promise in waiting { promise.cancel() }
    let next = Command("echo", ["ran"]).run()
    #expect(await eventually { !next.isPending })
  }

  @Test("A program starts when the named pipe has content, and reads the pipe to its end")
  func content() async throws {
    let copy = Command("cat").input(fileAt: fifo).run()
    let writer = try #require(FileHandle(forWritingAtPath: fifo.path))
    #expect(copy.isPending)
    try writer.write(contentsOf: Data("first ".utf8))
    try writer.write(contentsOf: Data(repeating: 48, count: 200_000))
    try writer.close()
    #expect(try await copy.value.output == Data("first ".utf8) + Data(repeating: 48, count: 200_000))
  }

  #if os(Linux)
    @Test("A program that waits for the writer of a named pipe ends without a start if it is cancelled")
    func cancelled() async throws {
      let started = folder.file("started").path
      let command = shell("echo 1 >'\(started)'").input(fileAt: fifo).start()
      #expect(await eventually { isOpen(fifo) })
      #expect(command.end.isPending)
      command.result.cancel()
      #expect(await command.end.awaitedError == nil)
      #expect(await eventually { !isOpen(fifo) })
      #expect(!FileManager.default.fileExists(atPath: started))
    }

    @Test("A program whose input is a device or a named pipe gets a blocking descriptor")
    func waitsForData() async throws {
      let device = URL(filePath: "/dev/zero")
      let zeros = try await Command("head", ["-c", "3"]).input(fileAt: device).run().value.output
      #expect(zeros == Data([0, 0, 0]))
      let flags = Command("grep", ["flags", "/proc/self/fdinfo/0"])
      let ofDevice = flags.input(fileAt: device).run()
      let ofPipe = flags.input(fileAt: fifo).run()
      try FileHandle(forWritingTo: fifo).close()
      for promise in [ofDevice, ofPipe] {
        let word = try #require(try await promise.value.text.split(whereSeparator: \.isWhitespace).last)
        #expect(try #require(Int32(word, radix: 8)) & O_NONBLOCK == 0)
      }
    }
  #endif

  private func writeNothing() {
    let writer = unsafe open(fifo.path, O_RDWR | O_NONBLOCK)
    close(writer)
  }
}

@Suite("Commands: the environment", .bounded) struct CommandEnvironmentTests {
  @Test("The environment of a command extends that of the calling process, or replaces it until the caller restores it")
  func environment() async throws {
    let added = shell(#"echo "$PATH $A $B""#).environment(["A": "0", "B": "2"]).environment(["A": "1"])
    #expect(try await added.run().value.text == "\(ownPath) 1 2")
    let command = Command("env").environment(["A": "="], inherits: false)
    #expect(try await variables(of: command.environment(["B": "2"])) == ["A==", "B=2"])
    #expect(try await variables(of: command.environment(["B": "3"], inherits: false)) == ["A==", "B=3"])
    let all = try await variables(of: command.environment(["B": "2"], inherits: true))
    #expect(all.contains { $0.hasPrefix("PATH=") })
    #expect(all.filter { $0.hasPrefix("A=") || $0.hasPrefix("B=") } == ["A==", "B=2"])
  }

  @Test("A variable whose value is nil is removed, whether it is inherited or was set before")
  func removed() async throws {
    // The name of the user's folder is in the environment of every process that runs tests.
    #expect(try await variables(of: Command("env")).contains { $0.hasPrefix("HOME=") })
    let without = Command("env").environment(["HOME": nil, "A": "1", "B": nil]).environment(["A": nil, "C": "3"])
    let names = try await variables(of: without).map { $0.prefix { $0 != "=" } }
    #expect(names.contains("C"))
    for name in ["HOME", "A", "B"] { #expect(!names.contains(Substring(name))) }
    #expect(try await variables(of: without.environment(["A": "4"], inherits: false)) == ["A=4", "C=3"])
  }

  @Test("A program without PATH is searched in the standard folders")
  func withoutPath() async throws {
    #expect(try await Command("echo", ["found"]).environment(["PATH": nil]).run().value.text == "found")
    #expect(await Command("no-such-tool").environment(["PATH": nil]).failureText?.contains("(/usr/bin:/bin)") == true)
  }

  private func variables(of command: Command) async throws -> [String] {
    try await command.run().value.text.split(separator: "\n").map(String.init).sorted()
  }

  #if os(Linux)
    @Test("A program inherits each environment entry unchanged, even an entry that is not text or has no name")
    func unchanged() async throws {
      // This test runs in a process of its own, because it changes the environment.
      await #expect(processExitsWith: .success) {
        let latin = Array("LATIN=".utf8) + [0xE9]
        let entries = [latin, Array("=x".utf8), Array("TEXT=é = 2".utf8), Array("OLD=1".utf8)]
        for entry in entries { unsafe putenv(strdup(entry.map(CChar.init(bitPattern:)) + [0])) }

        let command = Command("cat", ["/proc/self/environ"]).environment(["OLD": "2", "NEW": "é"])
        let environment = try await command.run().value.output.split(separator: 0).map(Array.init)
        for entry in entries.dropLast() { #expect(environment.filter { $0 == entry }.count == 1) }
        #expect(environment.filter { $0.starts(with: "OLD=".utf8) } == [Array("OLD=2".utf8)])
        #expect(environment.contains(Array("NEW=é".utf8)))
        #expect(environment.contains { $0.starts(with: "PATH=".utf8) })
        exit(EXIT_SUCCESS)
      }
    }
  #endif
}
