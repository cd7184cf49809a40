import PromiseCombinators
import TestSupport
import Testing

@Suite("Lazy promises whose closures run on an actor", .leavingNothing) struct IsolatedLazyTests {
  private let world = TestWorld()
  private let notebook = Notebook<String>()

  /// The notes when the world is idle.
  private var notes: [String]? { world.notes(in: notebook) }

  /// The ways to make a lazy promise with a closure on an actor. The promise is rejected if `fails` is true.
  enum Way: CaseIterable, Sendable {
    case initializer, run, adopting

    func make(_ notebook: Notebook<String>, fails: Bool) -> LazyPromise<Int> {
      switch self {
      case .initializer:
        LazyPromise(isolatedTo: notebook) { notebook, deferred in
          notebook.notes.append("body")
          if fails { throw TestError(1) }
          deferred.fulfill(7)
        }
      case .run:
        LazyPromise.run(isolatedTo: notebook) { notebook in
          notebook.notes.append("body")
          if fails { throw TestError(1) }
          return 7
        }
      case .adopting:
        LazyPromise.adopting(isolatedTo: notebook) { notebook in
          notebook.notes.append("body")
          return fails ? .rejected(TestError(1)) : .fulfilled(7)
        }
      }
    }
  }

  @Test(
    "The body runs once, and only when the promise is asked for, and its error rejects the promise",
    arguments: Way.allCases, [false, true])
  func body(_ way: Way, fails: Bool) {
    let lazy = world.run { way.make(notebook, fails: fails) }
    #expect(notes == [])
    let promises = world.run { [lazy.promise, lazy.promise] }
    #expect(notes == ["body"])
    #expect(promises.allSatisfy { $0.state.value == (fails ? nil : 7) && $0.failure == (fails ? .test(1) : nil) })
  }

  @Test("Observers start the work, and get the actor and the outcome", arguments: [false, true])
  func observers(fails: Bool) {
    let lazy = world.run {
      Way.run.make(notebook, fails: fails)
        .onFulfilled(isolatedTo: notebook) { notebook, value in notebook.notes.append("fulfilled: \(value)") }
        .onRejected(isolatedTo: notebook) { notebook, _ in notebook.notes.append("rejected") }
        .onSettled(isolatedTo: notebook) { notebook, result in
          notebook.notes.append((try? result.get()) == nil ? "settled: error" : "settled: value")
        }
    }
    #expect(notes == (fails ? ["body", "rejected", "settled: error"] : ["body", "fulfilled: 7", "settled: value"]))
    withExtendedLifetime(lazy) {}
  }

  @Test("An observer of progress gets the actor and each fraction")
  func progress() {
    let kept = Log<Deferred<Int>>()
    let lazy = world.start {
      LazyPromise<Int>(isolatedTo: notebook) { _, deferred in kept.append(deferred) }
        .onProgress(isolatedTo: notebook) { notebook, fraction in notebook.notes.append("\(fraction)") }
    }
    kept.entries.first?.report(progress: 0.5)
    #expect(notes == ["0.5"])
    kept.entries.first?.fulfill(1)
    #expect(notes == ["0.5", "1.0"])
    withExtendedLifetime(lazy) {}
  }
}
