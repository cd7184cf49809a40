import Foundation
import PromiseCombinators
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Commands: inheritance and many programs", .bounded)
struct CommandInheritanceTests {
  @Test("200 programs run at the same time, and all of their statuses are collected")
  func many() async throws {
    let folder = try Folder.withFifo()
    let fifo = folder.fifo
    // Each program waits until the test opens the fifo, so that all of them run at the same time.
    let started = Log<Int>()
    let results = (0..<200).map { number in
      shell("echo $$ >>'\(folder.file("pids").path)'; read line <'\(fifo)'; echo \(number) $$").run()
        .tap { _ in started.append(number) }
    }
    #expect(
      await eventually {
        ((try? String(contentsOf: folder.file("pids"), encoding: .utf8))?.split(separator: "\n").count ?? 0) == 200
      })
    #expect(started.entries.isEmpty)
    let gate = unsafe open(fifo, O_RDWR)
    close(gate)
    for (number, result) in results.enumerated() {
      let words = try await result.value.text.split(separator: " ").compactMap { Int32($0) }
      try #require(words.count == 2)
      #expect(words[0] == Int32(number))
      #expect(!exists(words[1]))
    }
  }

  #if os(Linux)
    @Test("Signals that are blocked or ignored in the calling process have their default action in the program")
    func signals() async throws {
      let former = signal(SIGWINCH, SIG_IGN)
      defer { signal(SIGWINCH, former) }
      let text = try await Command("grep", ["Sig[BI]", "/proc/self/status"]).run().value.text
      let masks = text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0, radix: 16) }
      // Signals 32 and 33 do not count, because they belong to the C library.
      #expect(masks.map { $0 & ~(3 << 31) } == [0, 0])
    }

    @Test("A program inherits only its standard files, even if thousands of files are open")
    func descriptors() async throws {
      let files = (0..<5_000).map { _ in unsafe open("/dev/null", O_RDONLY) }
      defer { for file in files where file >= 0 { close(file) } }
      try #require(files.allSatisfy { $0 >= 0 })
      let list = Command("ls", ["/proc/self/fd"])
      let inheriting = list.input(.inherited).errorOutput(.inherited)
      let piped = list.errorOutput(.discarded).piped(to: Command("cat"))
      for command in [list, inheriting, piped, Command("true").piped(to: list)] {
        // `ls` itself opens the fourth descriptor to read the folder.
        #expect(try await command.run().value.text.split(separator: "\n") == ["0", "1", "2", "3"])
      }
    }

    @Test("Commands leave no descriptor of the calling process open", arguments: [ExitObservation.descriptor, .thread])
    func closed(_ exit: ExitObservation) async throws {
      // Other tests open files at the same time, but none of them opens 60.
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      for _ in 0..<60 { _ = try await Command("cat").input("text").run(observingExitBy: exit).value }
      for _ in 0..<60 { _ = await Command("/no/such/tool").input("text").run(observingExitBy: exit).failure }
      for _ in 0..<60 {
        let streamed = Command("cat").input("text").output(.streamed).errorOutput(.streamed).start(
          observingExitBy: exit)
        for try await chunk in streamed.output where !chunk.isEmpty { break }
        let missing = Command("cat").piped(to: Command("/no/such/tool")).output(.streamed).start(observingExitBy: exit)
        let piped = Command("cat").input("text").piped(to: Command("cat")).errorOutput(.discarded)
        let cancelled = Command("sleep", ["1000"]).piped(to: Command("cat")).start(observingExitBy: exit)
        cancelled.result.cancel()
        for command in [streamed, missing, piped.start(observingExitBy: exit), cancelled] {
          _ = await command.end.failure
        }
      }
      #expect(
        await eventually {
          ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? .max) < before + 60
        })
    }
  #endif
}
