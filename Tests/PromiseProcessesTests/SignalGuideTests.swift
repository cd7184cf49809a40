import PromiseProcesses
import Testing

/// Runs the code of Docs/Guides/Processes.md, and of comments, about results of programs and about signals.
@Suite("Documents: Programs and signals", .bounded) struct SignalGuideTests {
  @Test("Programs and signals work as the guide shows")
  func commands() async throws {
    let folder = try Folder().url
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let project = folder
    let branch = Command("git", ["branch", "--show-current"])
      .directory(project)
      .run()
      .map { result in result.text }
    // The folder is not a repository, so this fails even if git is installed.
    #expect(await branch.awaitedError is CommandError)

    try "a\n".write(to: folder.appending(path: "old.txt"), atomically: true, encoding: .utf8)
    try "b\n".write(to: folder.appending(path: "new.txt"), atomically: true, encoding: .utf8)
    let changes = Command("diff", ["old.txt", "new.txt"]).directory(folder).accepting(0...1).run()
      .map { result in result.status == 0 ? "no changes" : result.text }
      .recover(from: CommandError.self) { error in "not compared: \(error)" }
    #expect(try await changes.value == "1c1\n< a\n---\n> b")

    let files = [folder.appending(path: "old.txt").path]
    let work = Promise.traverse(files, concurrency: 4) { file in Command("gzip", ["--keep", "--", file]).run() }
    let interrupt = Promise.signal(SIGINT)
    interrupt.onFulfilled { _ in work.cancel(upstream: true) }
    #expect(try await work.value.map(\.status) == [0])
    interrupt.cancel()
  }

  @Test("Programs and signals work as the comments show")
  func comments() async throws {
    let sorted = Command("sort").input("pears\napples\n").run().map { result in result.text }
    #expect(try await sorted.value == "apples\npears")
    let work = Deferred<Int>().promise
    let interrupt = Promise.signal(SIGINT)
    interrupt.onFulfilled { _ in work.cancel(upstream: true) }
    interrupt.cancel()
  }

  /// Settings that can be read again.
  private actor Settings {
    var count = 0

    func reload() { count += 1 }
  }

  @Test("A loop over a signal works as the guide and the comments show")
  func signals() async {
    // This test runs in a process of its own, because signals reach the whole process.
    await #expect(processExitsWith: .success) {
      // Catch the signals that are sent before a loop begins and after it has ended.
      let others = [try ProcessSignals(SIGHUP), try ProcessSignals(SIGINT)]

      let settings = Settings()
      let reading = Task {
        let hangups = try ProcessSignals(SIGHUP)
        for await _ in hangups { await settings.reload() }
      }
      while await settings.count == 0 {
        kill(getpid(), SIGHUP)
        await Task.yield()
      }
      reading.cancel()
      try await reading.value

      let deferred = Deferred<Int>()
      let work = deferred.promise
      let sending = Task {
        while !work.isCancelled {
          kill(getpid(), SIGINT)
          await Task.yield()
        }
      }
      for await _ in try ProcessSignals(SIGINT) {
        work.cancel(upstream: true)
        break
      }
      await sending.value
      withExtendedLifetime((others, deferred)) {}
      exit(EXIT_SUCCESS)
    }
  }
}
