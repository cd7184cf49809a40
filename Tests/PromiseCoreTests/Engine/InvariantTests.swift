import Testing

#if DEBUG
  @testable import PromiseCore

  /// A way to break an invariant of `Engine.swift` that a debug build checks.
  private struct Violation {
    /// The text of the assertion.
    let message: String
    let commit: @Sendable () -> Void

    init(_ message: String, _ commit: @escaping @Sendable () -> Void) {
      (self.message, self.commit) = (message, commit)
    }

    private static var promise: Promise<Int> { Promise(pendingAt: Site(#fileID, #line)) }
    private static var entry: AnyPromise { Entry<Never>(startingAt: Site(#fileID, #line), [.isObserver, .value]) }

    private static func list(of entry: AnyPromise) -> EntryList {
      var list = EntryList()
      PromisePointer(entry).retain()
      list.append(PromisePointer(entry))
      return list
    }

    static let all: [Violation] = [
      Violation("An entry was removed that is not in the list.") {
        var list = EntryList()
        list.remove(entry)
      },
      Violation("An entry was replaced that is not in the list.") {
        var list = EntryList()
        list.replace(entry, by: Violation.list(of: entry))
      },
      Violation("A promise was deallocated while an entry waited for it.") { promise.list = list(of: entry) },
      Violation("A promise is not locked that must be.") { Violation.promise.assertLocked() },
      Violation("A mark was inserted twice, or before one that is in no tour.") {
        let one = Violation.promise
        let other = Violation.promise
        withExtendedLifetime((one, other)) { TourMark.exit(one).insert(before: .exit(other)) }
      },
      Violation("A mark was removed that is in no tour.") {
        let promise = Violation.promise
        withExtendedLifetime(promise) { TourMark.exit(promise).remove() }
      },
      Violation("A promise was settled twice.") {
        _ = promise.relaxedState.settled(as: .fulfilled).settled(as: .cancelled)
      },
      Violation("A rule has not decided for the last input.") {
        let input = Promise.fulfilled(1)
        Combination.make(promise, from: [input], by: .all, needing: 1, measuring: .none) { _, _ in .wait }
      },
      Violation("A promise was closed before it was settled, or twice.") { _ = promise.relaxedState.becomingClosed() },
      Violation("A promise was collapsed that others than adopters wait for.") {
        _ = promise.relaxedState.attached(isMovable: false, consumes: true).becomingForwarded()
      },
      Violation("A consumer left that was not counted.") { _ = promise.relaxedState.removingConsumer() },
      Violation("An exit was opened twice.") {
        let promise = Violation.promise
        _ = promise.place(list(of: entry), promise.lock().settled(as: .fulfilled).withExit())
      },
      Violation("An entry was deallocated with its handler.") {
        let entry = Violation.entry
        unsafe entry.link.pointee.body = HandlerBody { _, _ in .nothing }
        withExtendedLifetime(entry) {}
      },
      Violation("Progress has ended twice.") {
        var progress = ProgressState()
        _ = progress.end()
        _ = progress.end()
      },
      Violation("A combination needs no input, or more than it has.") {
        Combination.make(promise, from: [Promise.fulfilled(1)], by: .all, needing: 2, measuring: .none) { _, _ in .wait
        }
      },
      Violation("A combination has ended twice.") {
        let result = Violation.promise
        Combination.make(result, from: [promise], by: .all, needing: 1, measuring: .none) { _, _ in .wait }
        _ = result.combination.map { ($0.end(), $0.end()) }
      },
    ]
  }

  /// Breaks each invariant once, in a process of its own. The layout of `Entry` is checked for every link instead.
  @Suite("The engine's assertions") struct InvariantTests {
    @Test("A debug build stops with a message if an invariant of the engine breaks", arguments: Violation.all.indices)
    func stops(_ number: Int) async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [number] in
        Violation.all[number].commit()
      }
      let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(printed.contains(Violation.all[number].message))
    }
  }
#endif
