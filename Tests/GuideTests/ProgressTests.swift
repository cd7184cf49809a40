import PromiseCombinators
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/Progress.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Archive: Sendable {}
private struct Tool: Sendable {}
private struct NotFound: Error {}

/// A server whose transfers the test reports and completes.
private final class Server: Sendable {
  private let transfers = Locked<[String: Transfer<Archive>]>([:])

  func load(
    _ name: String, progress: @escaping @Sendable (_ bytes: Int, _ total: Int) -> Void,
    completion: @escaping @Sendable (Archive?, (any Error)?) -> Void
  ) {
    transfers.withLock { $0[name] = Transfer(progress: progress, completion: completion) }
  }

  subscript(_ name: String) -> Transfer<Archive>? { transfers.withLock { $0[name] } }
}

@MainActor private final class Bar {
  var shown: [Double] = []
  var fraction = 0.0 { didSet { shown.append(fraction) } }
  func show(_ fraction: Double) { self.fraction = fraction }
}

private struct Installer {
  let server = Server()
  let unpacking = Deferred<Tool>()
  let copying = Deferred<Archive>()

  func unpack(_ archive: Archive) -> Promise<Tool> { unpacking.promise }
  func verify(_ archive: Archive) throws -> Archive { throw NotFound() }
  func copy(_ name: String) -> Promise<Archive> { copying.promise }

  func download(_ name: String) -> Promise<Archive> {
    let deferred = Deferred<Archive>()
    server.load(
      name,
      progress: { bytes, total in deferred.report(progress: Double(bytes) / Double(total)) },
      completion: deferred.resolve)
    return deferred.promise
  }

  func install(_ name: String) -> Promise<Tool> {
    download(name)  // a half
      .then { archive in unpack(archive) }  // the other half
  }

  func installSlowly(_ name: String) -> Promise<Tool> {
    download(name)  // a quarter
      .then(weight: 3) { archive in unpack(archive) }  // three quarters
  }

  func verifiedWithWeight() -> Promise<Archive> {
    let weighed = download("swift").map(weight: 1) { try verify($0) }.rescue { _ in copy("swift") }  // ½, then the copy
    return weighed
  }

  func rescue() -> Promise<Archive> {
    let archive = download("swift")  // fails at 0.4
    let rescued = archive.rescue { _ in copy("swift") }
    return rescued
  }

  func installAll(_ names: [String]) -> Promise<[Tool]> {
    let installed = Deferred<[Tool]>()
    let finished = Mutex(0)
    let tools = Promise.traverse(names, concurrency: 2) { name in
      install(name).tap { _ in
        let count = finished.withLock { count in
          count += 1
          return count
        }
        installed.report(progress: Double(count) / Double(names.count))
      }
    }
    installed.follow(tools)
    return installed.promise
  }

  func show(_ installed: Promise<Tool>, on bar: Bar) async throws -> Tool {
    for await fraction in installed.progressUpdates { await bar.show(fraction) }
    return try await installed.value
  }
}

@Suite("The guide to progress") struct ProgressTests {
  private let installer = Installer()
  private var server: Server { installer.server }

  @Test("A late handler on the main actor sees the current progress, and then 1 before the value", .rule("5.2", "5.3"))
  @MainActor func shows() throws {
    let bar = Bar()
    try TestWorld.run(checking: .running) { world in
      let installed = installer.install("swift")
      server["swift"]?.progress(50, 100)
      installed.onProgress(on: .main) { bar.fraction = $0 }
      installed.onFulfilled(on: .main) { _ in bar.fraction = 2 }
      world.runUntilIdle()
      server["swift"]?.completion(Archive(), nil)
      world.runUntilIdle()
      installer.unpacking.fulfill(Tool())
      world.runUntilIdle()
    }
    #expect(bar.shown == [0.25, 0.5, 1, 2])
  }

  @Test("progressUpdates yields rising values and ends with 1")
  @MainActor func sequence() async throws {
    let bar = Bar()
    let installed = installer.install("swift")
    server["swift"]?.progress(50, 100)
    let showing = Task { try await installer.show(installed, on: bar) }
    server["swift"]?.completion(Archive(), nil)
    installer.unpacking.fulfill(Tool())
    _ = try await showing.value
    // The number of values that the bar shows depends on how fast it reads them.
    #expect(bar.shown.last == 1)
    #expect(bar.shown == bar.shown.sorted())
    #expect(bar.shown.count <= 3)
  }

  @Test("The progress of a chain of two steps rises as the table of the guide says", .rule("5.4"))
  func chain() throws {
    try TestWorld.run(checking: .running) { world in
      let installed = installer.install("swift")
      server["swift"]?.progress(50, 100)
      #expect(installed.progress == 0.25)
      server["swift"]?.completion(Archive(), nil)
      #expect(installed.progress == 0.5)
      world.runUntilIdle()
      #expect(installed.progress == 0.5)
      installer.unpacking.report(progress: 0.5)
      #expect(installed.progress == 0.75)
      installer.unpacking.fulfill(Tool())
      #expect(world.settling(installed).progress == 1)
    }
  }

  @Test("An error leaves the progress where it was, and a rescue has the rest", .rule("5.2"))
  func rescue() throws {
    try TestWorld.run(checking: .running) { world in
      let rescued = installer.rescue()
      server["swift"]?.progress(40, 100)
      server["swift"]?.completion(nil, NotFound())
      world.runUntilIdle()
      #expect(abs(rescued.progress - 0.4) < 1e-9)
      installer.copying.report(progress: 0.5)
      #expect(abs(rescued.progress - 0.7) < 1e-9)
      rescued.cancel()
      #expect(abs(rescued.progress - 0.7) < 1e-9)
    }
  }

  @Test("An owner that follows a traverse reports each finished element", .rule("5.1"))
  func reportsElements() throws {
    try TestWorld.run(checking: .running) { world in
      let installed = installer.installAll(["swift", "clang"])
      world.runUntilIdle()
      installer.unpacking.fulfill(Tool())
      #expect(installed.progress == 0)
      server["clang"]?.completion(Archive(), nil)
      world.runUntilIdle()
      #expect(installed.progress == 0.5)
      server["swift"]?.completion(Archive(), nil)
      #expect(world.settling(installed).state.value?.count == 2)
      #expect(installed.progress == 1)
    }
  }
}
