import PromiseCombinators
import Synchronization
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/CCallback.md, word for word. `Scripts/check-snippets.py` compares them.

private typealias Callback = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
private typealias Destroy = @convention(c) (UnsafeMutableRawPointer?) -> Void

/// Stands for a C library. It keeps its callbacks until the test calls them.
private final class Library: Sendable {
  // Safe, because the library that it stands for makes the same calls.
  @safe struct Call: Sendable {
    let name: String
    let callback: Callback
    /// The bits of the `void *`.
    let context: Int
    let destroy: Destroy?

    func answer(_ position: Int32) { unsafe callback(UnsafeMutableRawPointer(bitPattern: context), position) }
    func release() { unsafe destroy?(UnsafeMutableRawPointer(bitPattern: context)) }
  }

  @TaskLocal static var current = Library()
  let calls = Log<Call>()
}

private func find(
  _ name: UnsafePointer<CChar>, _ callback: Callback, _ context: UnsafeMutableRawPointer?
) {
  unsafe search(name, callback, context, nil)
}

private func search(
  _ name: UnsafePointer<CChar>, _ callback: Callback, _ context: UnsafeMutableRawPointer?, _ destroy: Destroy?
) {
  unsafe Library.current.calls.append(
    Library.Call(
      name: String(cString: name), callback: callback, context: Int(bitPattern: context), destroy: destroy))
}

private struct Once {
  func position(of name: String) -> Promise<Int32> {
    Promise { deferred in
      unsafe find(
        name,
        { context, position in
          guard let context = unsafe context else { return }
          // Safe, because `find` calls this function exactly once, with the pointer that it was given.
          unsafe Unmanaged<Deferred<Int32>>.fromOpaque(context).takeRetainedValue().fulfill(position)
        }, Unmanaged.passRetained(deferred).toOpaque())
    }
  }
}

private struct Owning {
  func position(of name: String) -> Promise<Int32> {
    Promise { deferred in
      unsafe search(
        name,
        { context, position in
          guard let context = unsafe context else { return }
          // Safe, because the library releases the pointer after the last call of this function.
          unsafe Unmanaged<Deferred<Int32>>.fromOpaque(context).takeUnretainedValue().fulfill(position)
        }, Unmanaged.passRetained(deferred).toOpaque(),
        { context in
          guard let context = unsafe context else { return }
          // Safe, because the library calls this function once.
          unsafe Unmanaged<Deferred<Int32>>.fromOpaque(context).release()
        })
    }
  }
}

private enum Guide {
  /// The owners that wait for a callback, by number.
  final class Waiting: Sendable {
    private let state = Mutex((last: 0, owners: [Int: Deferred<Int32>]()))

    func add(_ owner: Deferred<Int32>) -> Int {
      state.withLock { state in
        state.last += 1
        state.owners[state.last] = owner
        return state.last
      }
    }

    func take(_ number: Int) -> Deferred<Int32>? {
      state.withLock { $0.owners.removeValue(forKey: number) }
    }
  }
}

private let waiting = Guide.Waiting()

private struct Numbered {
  func position(of name: String) -> Promise<Int32> {
    Promise { deferred in
      let number = waiting.add(deferred)
      deferred.timeout(.seconds(30))
      deferred.onEnd { _ in _ = waiting.take(number) }
      unsafe find(
        name, { context, position in waiting.take(Int(bitPattern: context))?.fulfill(position) },
        UnsafeMutableRawPointer(bitPattern: number))
    }
  }
}

@Suite("The recipe for a callback of a C library") struct CCallbackTests {
  /// Calls a function in a world, and returns the calls that it has made of the library.
  private func run(
    _ position: (String) -> Promise<Int32>, _ body: (TestWorld, Promise<Int32>, Library.Call) throws -> Void
  ) throws {
    let library = Library()
    try Library.$current.withValue(library) {
      try TestWorld.run(checking: .running) { world in
        let promise = position("Bonn")
        let call = try #require(library.calls.entries.first)
        #expect(call.name == "Bonn")
        #expect(promise.isPending)
        try body(world, promise, call)
        world.runUntilIdle()
      }
    }
  }

  @Test("One callback on another thread fulfils the promise")
  func once() throws {
    for position in [Once().position, Numbered().position] {
      try run(position) { _, promise, call in
        race([{ call.answer(7) }])
        #expect(promise.state.value == 7)
      }
    }
  }

  @Test("If the library releases the pointer, the promise is rejected unless there was a callback", .rule("6.2"))
  func released() throws {
    try run(Owning().position) { _, promise, call in
      call.release()
      #expect(name(of: promise.error) == "broken")
    }
    try run(Owning().position) { _, promise, call in
      race([{ call.answer(7) }])
      call.release()
      #expect(promise.state.value == 7)
    }
  }

  @Test("A callback after another, after the time limit or after a cancellation finds no owner", .rule("4.5", "4.6"))
  func tooLate() throws {
    try run(Numbered().position) { _, promise, call in
      call.answer(7)
      call.answer(8)
      #expect(promise.state.value == 7)
    }
    try run(Numbered().position) { world, promise, call in
      world.advance(by: .seconds(30))
      #expect(name(of: promise.error) == "timedOut")
      call.answer(7)
    }
    try run(Numbered().position) { world, promise, call in
      promise.cancel()
      world.runUntilIdle()
      #expect(waiting.take(call.context) == nil)
      call.answer(7)
      #expect(promise.isCancelled)
    }
  }
}
