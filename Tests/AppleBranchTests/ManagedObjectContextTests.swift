import Foundation
import TestSupport
import Testing

@Suite("Core Data contexts, with a stand-in for Core Data", .leavingNothing) struct ManagedObjectContextTests {
  private let context = NSManagedObjectContext()

  @Test("Handlers run on the queue of the managed object context")
  func queue() async throws {
    let seen = Promise.fulfilled(1).map(on: .managed(context)) { [context] _ in context.isCurrent }
    #expect(try await seen.value)
    #expect(context.performed.withLock { $0 } == 1)
  }

  @Test("Handlers of one settlement run in order, in one block", .rule("2.2"))
  func batch() async throws {
    let deferred = Deferred<Int>()
    let order = Log<Int>()
    for number in 0..<100 { deferred.promise.onFulfilled(on: .managed(context)) { _ in order.append(number) } }
    let last = deferred.promise.map(on: .managed(context)) { $0 }
    deferred.fulfill(7)
    #expect(try await last.value == 7 && order.entries == Array(0..<100))
    #expect(context.performed.withLock { $0 } == 1)
  }

  @Test("Two contexts for one managed object context have the same identity", .rule("2.2"))
  func identity() {
    let other = NSManagedObjectContext()
    #expect(ManagedObjectContext.managed(context).identity == ManagedObjectContext.managed(context).identity)
    #expect(ManagedObjectContext.managed(context).identity != ManagedObjectContext.managed(other).identity)
  }

  @Test("A managed object context runs the closure of a promise, which settles with its outcome")
  func promise() async throws {
    let value = context.promise { $0.isCurrent }
    #expect(try await value.value)
    let failed = context.promise { _ -> Int in throw TestError(3) }
    await #expect(throws: TestError(3)) { try await failed.value }
  }
}
