import Foundation
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Commands: input from named pipes and devices", .bounded)
struct CommandInputTests {
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

  @Test("A program starts with empty input when the named pipe is closed without content")
  func empty() async throws {
    let copy = Command("cat").input(fileAt: fifo).run()
    try FileHandle(forWritingTo: fifo).close()
    #expect(try await copy.value.output.isEmpty)
  }

  #if os(Linux)
    @Test("A program that waits for the writer of a named pipe never starts if it is cancelled")
    func cancelled() async throws {
      let started = folder.file("started").path
      let promise = shell("echo 1 >'\(started)'").input(fileAt: fifo).run()
      #expect(await eventually { isOpen(fifo) })
      promise.cancel()
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
