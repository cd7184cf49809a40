import Testing

@testable import PromiseProcesses

@Suite("Commands: writing to a running program", .bounded) struct CommandConversationTests {
  private let folder: Folder
  private var fifo: String { folder.fifo }
  /// More than a pipe holds.
  private let large = Data(pattern(300_000))

  init() throws { folder = try .withFifo() }

  /// A program that reads when the test has called `openFifo`, and writes what it has read.
  private var waitingCopy: RunningCommand { shell("read line <'\(fifo)'; cat").input(.streamed).start() }

  private func openFifo() throws { try FileHandle(forWritingTo: URL(filePath: fifo)).close() }

  @Test("A program answers each question while it runs, and finds the end of its input when that is closed")
  func conversation() async throws {
    let copy = Command("cat").input(.streamed).output(.streamed).start()
    var lines = copy.output.lines.makeAsyncIterator()
    for question in ["one", "two"] {
      try await copy.input.write("\(question)\n").value
      #expect(try await lines.next() == question)
    }
    #expect(copy.result.isPending)
    copy.input.close()
    copy.input.close()
    #expect(try await lines.next() == nil)
    #expect(try await copy.result.value.status == 0)
  }

  @Test("All bytes arrive in the order of the calls, whatever their sizes")
  func order() async throws {
    let copy = Command("cat").input(.streamed).start()
    var expected = Data()
    for count in [0, 1, 70_000, 3, 300_000] + Array(repeating: 2, count: 2_000) {
      let piece = Data(pattern(count, from: expected.count))
      expected += piece
      copy.input.write(piece)
    }
    copy.input.close()
    #expect(try await copy.result.value.output == expected)
  }

  @Test("A write is pending while the pipe is full, and shows its share as progress", .rule("5.1", "5.2"))
  func backPressure() async throws {
    let copy = waitingCopy
    let first = copy.input.write(large)
    let second = copy.input.write("end")
    let empty = copy.input.write(Data())
    #expect(await eventually { first.progress > 0 })
    #expect(first.progress < 1)
    #expect(first.isPending)
    #expect(second.isPending)
    #expect(empty.isPending)
    try openFifo()
    copy.input.close()
    try await first.value
    try await second.value
    try await empty.value
    #expect(try await copy.result.value.output == large + Data("end".utf8))
  }

  @Test("A program that closes its input rejects what is written later, without SIGPIPE")
  func closedByProgram() async throws {
    let script = "exec <&-; echo closed; read line <'\(fifo)'; exit 0"
    let program = shell(script).input(.streamed).output(.streamed).start()
    var lines = program.output.lines.makeAsyncIterator()
    #expect(try await lines.next() == "closed")
    for _ in 0..<2 {
      let error = await program.input.write("text").awaitedError
      #expect(error.map { "\($0)" } == "bytes were not written to /bin/sh, because its standard input is closed")
    }
    #expect(program.result.isPending)
    try openFifo()
    #expect(try await program.result.value.status == 0)
  }

  @Test("A program that ends rejects what waits for a full pipe, and what is written later")
  func ended() async throws {
    let program = shell("read line <'\(fifo)'; exit 0").input(.streamed).start()
    let written = program.input.write(large)
    #expect(await eventually { written.progress > 0 })
    let waiting = program.input.write("text")
    try openFifo()
    #expect(await written.awaitedError?.caseName == "CommandError.inputClosed")
    #expect(await waiting.awaitedError?.caseName == "CommandError.inputClosed")
    #expect(try await program.result.value.status == 0)
    #expect(await program.input.write("text").awaitedError?.caseName == "CommandError.inputClosed")
  }

  @Test(
    "A cancelled write of which nothing is in the pipe is taken back, and another is written to its end", .rule("2.11"))
  func cancelledWrite() async throws {
    let copy = waitingCopy
    let first = copy.input.write(large)
    let second = copy.input.write("second")
    let third = copy.input.write("third")
    #expect(await eventually { first.progress > 0 })
    first.cancel()
    second.cancel()
    #expect(first.isCancelled)
    #expect(!first.isFinished)
    #expect(second.isFinished)
    try openFifo()
    try await third.value
    #expect(await first.whenFinished().awaitedError == nil)
    copy.input.close()
    #expect(try await copy.result.value.output == large + Data("third".utf8))
  }

  @Test("A cancelled result cancels what was not written, with its reason", .rule("4.2"))
  func cancelledResult() async throws {
    let copy = waitingCopy
    let first = copy.input.write(large)
    let second = copy.input.write("second")
    #expect(await eventually { first.progress > 0 })
    copy.result.cancel(reason: TestError(7))
    let late = copy.input.write("late")
    for promise in [first, second, late] {
      #expect(promise.failure == .test(7))
      #expect(promise.isCancelled)
    }
    #expect(await copy.end.awaitedError == nil)
    #expect(await first.whenFinished().awaitedError == nil)
  }

  @Test("A write to a program that cannot be started has the error of its result, which is reported once", .rule("7.1"))
  func notStarted() async throws {
    let unhandled = Log<UnhandledRejection>()
    await Diagnostics.scoped(unhandledRejection: unhandled.append) {
      let program = Command("/no/such/tool").input(.streamed).start()
      program.input.write("early")
      #expect(await program.result.awaitedError?.caseName == "CommandError.programNotFound")
      #expect(await program.input.write("late").awaitedError?.caseName == "CommandError.programNotFound")
      program.input.write("unseen")
      #expect(await program.end.awaitedError == nil)
    }
    #expect(unhandled.entries.isEmpty)
  }

  @Test("When the client releases the program, its input ends behind what was written")
  func released() async throws {
    var copy: RunningCommand? = Command("cat").input(.streamed).start()
    copy?.input.write(large)
    var input = copy?.input
    let result = try #require(copy?.result)
    copy = nil
    input?.write("end")
    #expect(result.isPending)
    input = nil
    #expect(try await result.value.output == large + Data("end".utf8))
  }

  @Test("In a pipeline, the client writes to the first program")
  func pipeline() async throws {
    let sorted = Command("cat").input(.streamed).piped(to: Command("cat")).piped(to: Command("sort")).start()
    try await sorted.input.write("b\na\n").value
    sorted.input.close()
    #expect(try await sorted.result.value.text == "a\nb")
    let cancelled = Command("cat").input(.streamed).piped(to: Command("cat")).start()
    cancelled.result.cancel(reason: TestError(7))
    #expect(cancelled.input.write("text").failure == .test(7))
    #expect(await cancelled.end.awaitedError == nil)
  }

  @Test("Without a client that can write, a program reads nothing")
  func noClient() async throws {
    let copy = Command("cat").input(.streamed)
    #expect(try await copy.run().value.output.isEmpty)
    #expect(try await copy.runToEnd().output.isEmpty)
    #expect(try await copy.piped(to: Command("cat")).run().value.output.isEmpty)
    #expect(try await copy.piped(to: Command("cat")).runToEnd().output.isEmpty)
  }

  @Test("A write to a program whose input is not streamed is rejected, and says what to do")
  func notStreamed() async throws {
    let program = Command("cat").input("text").start()
    let error = program.input.write("more").error
    #expect(
      error.map { "\($0)" } == "the standard input of cat is not streamed: start the command with input(.streamed)")
    program.input.close()
    #expect(try await program.result.value.text == "text")
  }

  @Test("A program that was written to and has ended, or was cancelled, retains nothing", .rule("4.9"), .leavingNothing)
  func retainsNothing() async throws {
    for isCancelled in [false, true] {
      weak var channel: InputChannel?
      do {
        let copy = Command("cat").input(.streamed).start()
        channel = copy.input.writer?.channel
        let tracked = Tracked(Tracked.Census())
        let written = copy.input.write("text").map { [tracked] in tracked.carrying(()) }
        _ = await written.awaitedError
        if isCancelled { copy.result.cancel() } else { copy.input.close() }
        #expect(await copy.end.awaitedError == nil)
      }
      #expect(await eventually { channel == nil })
    }
  }
}

@Suite("Commands: the channel of an input", .bounded) struct InputChannelTests {
  private let channel = InputChannel(of: "tool")

  private func write(_ text: String) -> Promise<Void> { channel.write(Data(text.utf8), at: CreationSite()) }

  @Test("A piece that is cancelled while nothing of it can be written is dropped", .rule("2.11"))
  func cancelledDuringCall() {
    let first = write("first")
    let second = write("second")
    #expect(channel.next(atMost: 3) == .bytes(Data("fir".utf8)))
    first.cancel()
    #expect(!first.isFinished)
    channel.advance(by: 0)
    #expect(first.isFinished)
    #expect(channel.next(atMost: 10) == .bytes(Data("second".utf8)))
    channel.advance(by: 6)
    #expect(second.isFulfilled)
  }

  /// Bytes that call a closure when they are released.
  private func bytes(count: Int, whenReleased released: @escaping @Sendable () -> Void) -> Data {
    // Safe, because `Data` releases the memory once, after its last use.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
    return unsafe Data(
      bytesNoCopy: memory, count: count,
      deallocator: .custom { memory, _ in
        unsafe memory.deallocate()
        released()
      })
  }

  @Test("Bytes are released when they are written or taken back, and not under a lock", .rule("4.9", "6.5"))
  func releasedBytes() {
    let released = Log<Int>()
    // A call of the channel inside the release would wait for the lock.
    let write = { [channel] number in
      channel.write(
        bytes(count: 100_000) {
          released.append(number)
          _ = channel.next(atMost: 1)
        }, at: CreationSite())
    }
    let first = write(1)
    let second = write(2)
    let third = write(3)
    third.cancel()
    #expect(released.entries == [3])
    _ = channel.next(atMost: 100_000)
    channel.advance(by: 100_000)
    #expect(first.isFulfilled)
    #expect(released.entries == [3, 1])
    #expect(second.isPending)
    channel.end()
    #expect(released.entries == [3, 1, 2])
    _ = second.error
  }

  @Test("A cancelled piece that was begun goes on, until the program has closed its input", .rule("2.11"))
  func cancelledLater() {
    let first = write("first")
    #expect(channel.next(atMost: 3) == .bytes(Data("fir".utf8)))
    channel.advance(by: 3)
    #expect(first.progress == 0.6)
    first.cancel()
    #expect(channel.next(atMost: 9) == .bytes(Data("st".utf8)))
    channel.end()
    channel.advance(by: 2)
    #expect(first.isFinished)
    #expect(channel.next(atMost: 9) == .end)
  }

  @Test("A client that closes the input ends it behind what it has written, and the writer is woken")
  func closed() {
    let wakes = Log<Int>()
    channel.open { wakes.append(0) }
    #expect(channel.next(atMost: 1) == .none)
    let written = write("a")
    channel.close()
    #expect(wakes.entries.count == 3)
    #expect(write("b").error is CommandError)
    #expect(channel.next(atMost: 9) == .bytes(Data("a".utf8)))
    channel.advance(by: 1)
    #expect(written.isFulfilled)
    #expect(channel.next(atMost: 9) == .end)
  }
}
