import PromiseCombinators
import Testing

@testable import PromiseProcesses

@Suite("Commands: when the work behind a result has finished", .bounded, .rule("2.11", "4.5"))
struct CommandFinishTests {
  private let folder: Folder
  private let world = TestWorld()
  private var pids: String { folder.file("pids").path }
  private var fifo: String { folder.fifo }

  init() throws { folder = try .withFifo() }

  /// A program that ignores `SIGTERM`.
  private var stubborn: Command {
    shell("trap '' TERM; echo $$ >'\(pids)'; exec sleep 1000").gracePeriod(.seconds(60))
  }

  private func endGracePeriod() async {
    // The program may run before the thread that starts it continues. Only then does the grace period begin. If the
    // result was cancelled before the closure that has started the program returns, its hook runs in the world.
    let begins = await eventually {
      world.runUntilIdle()
      return (try? world.verify(.timers)) == nil
    }
    #expect(begins)
    world.advance(by: .seconds(60))
  }

  @Test(
    "A cancelled result has finished when the program has ended", arguments: [ExitObservation.descriptor, .thread])
  func cancelled(_ exit: ExitObservation) async throws {
    let result = world.run { stubborn.run(observingExitBy: exit) }
    let process = try #require(await folder.numbers(in: "pids").first)
    result.cancel()
    #expect(result.isCancelled)
    #expect(!result.isFinished)
    let finish = result.whenFinished()
    await endGracePeriod()
    #expect(await finish.awaitedError == nil)
    #expect(!exists(process))
  }

  @Test("A result that is cancelled before the program starts has finished soon")
  func unstarted() async {
    let result = Command("sleep", ["1000"]).run()
    result.cancel()
    #expect(await result.whenFinished().awaitedError == nil)
    let waiting = Command("cat").input(fileAt: URL(filePath: fifo)).run()
    waiting.cancel()
    #expect(await waiting.whenFinished().awaitedError == nil)
  }

  @Test("A result that is rejected because of too much output has finished when the program has ended")
  func tooLarge() async throws {
    let command = shell("trap '' TERM; echo $$ >'\(pids)'; echo 123456; exec sleep 1000").gracePeriod(.seconds(60))
      .maximumOutputSize(5)
    let result = world.run { command.run() }
    let process = try #require(await folder.numbers(in: "pids").first)
    #expect(await result.awaitedError is CommandError)
    #expect(!result.isFinished)
    let finish = result.whenFinished()
    await endGracePeriod()
    #expect(await finish.awaitedError == nil)
    #expect(!exists(process))
  }

  @Test("A cancelled pipeline has finished when both programs have ended")
  func pipeline() async throws {
    let second = shell("trap '' TERM; echo $$ >'\(folder.file("second").path)'; exec sleep 1000")
    let result = world.run { stubborn.piped(to: second).run() }
    let first = try #require(await folder.numbers(in: "pids").first)
    let last = try #require(await folder.numbers(in: "second").first)
    result.cancel()
    #expect(!result.isFinished)
    let finish = result.whenFinished()
    await endGracePeriod()
    #expect(await finish.awaitedError == nil)
    #expect(!exists(first))
    #expect(!exists(last))
  }

  @Test("What a program leaves in the background after a success is not waited for")
  func background() async throws {
    let result = shell("(read line <'\(fifo)') >/dev/null 2>&1 & echo $! >'\(pids)'").run()
    #expect(try await result.value.status == 0)
    #expect(result.isFinished)
    let process = try #require(await folder.numbers(in: "pids").first)
    #expect(exists(process))
    try FileHandle(forWritingTo: URL(filePath: fifo)).close()
  }

  @Test("A use of a resource releases it when a cancelled program has ended", .rule("2.10"))
  func use() async throws {
    let released = Deferred<Void>()
    let command = stubborn
    let world = world
    let result = Promise<CommandResult>.using(
      { Promise.fulfilled() }, release: { _ in Promise.fulfilled(released.fulfill()) },
      { _ in world.run { command.run() } })
    let process = try #require(await folder.numbers(in: "pids").first)
    result.cancel()
    #expect(released.promise.isPending)
    await endGracePeriod()
    #expect(await released.promise.awaitedError == nil)
    #expect(!exists(process))
  }
}
