import TestSupport
import Testing

@testable import PromiseCore

@Suite("Values of any type") struct ValueTests {
  /// Sends a value through every call that passes values on.
  private func travels<Value: Sendable>(_ value: Value, _ isSame: @Sendable (Value) -> Bool) {
    let context = ManualContext()
    let deferred = Deferred<Value>()
    let follower = Deferred<Value>()
    let behind = follower.promise
    let promises = [
      .fulfilled(value), Promise(catching: { value }), Promise<Value> { $0.fulfill(value) }, deferred.promise, behind,
      deferred.promise.map(on: context) { $0 }, deferred.promise.tap(on: context) { _ in },
      deferred.promise.always(on: context) { _ in }, deferred.promise.then(on: context) { _ in behind },
      deferred.promise.compactMap(on: context) { Optional($0) },
      Promise<Value>.rejected(TestError(1)).recover(on: context) { _ in value },
      Promise<Value>.rejected(TestError(1)).rescue(on: context) { _ in behind },
    ]
    follower.follow(deferred.promise)
    deferred.fulfill(value)
    context.runUntilIdle()
    for (index, promise) in promises.enumerated() {
      #expect(promise.state.value.map(isSame) == true, "promise \(index) is \(promise.state)")
    }
  }

  @Test("A String that is an Error fulfils as a value and rejects as an error", .rule("1.4"))
  func strings() {
    travels("text") { $0 == "text" }
    let context = ManualContext()
    let rejected = Deferred<String>()
    rejected.reject("reason")
    #expect(rejected.promise.isRejected)
    let mapped = Promise.fulfilled(1).map(on: context) { _ in "value" }
    let recovered = rejected.promise.recover(on: context) { ($0 as? String) ?? "" }
    let errorOfString = rejected.promise.recover(from: String.self, on: context) { $0 + "!" }
    context.runUntilIdle()
    #expect(mapped.status == .fulfilled("value"))
    #expect(recovered.status == .fulfilled("reason"))
    #expect(errorOfString.status == .fulfilled("reason!"))
  }

  @Test("Values larger than a few words, or with the alignment of a vector, arrive unchanged", .rule("1.4"))
  func unusualValues() {
    struct Large: Equatable, Sendable {
      var numbers = (1, 2, 3, 4, 5, 6)
      var texts = ["a", "b"]
      var maybe: Double? = 0.5
      static func == (a: Large, b: Large) -> Bool { a.numbers == b.numbers && a.texts == b.texts && a.maybe == b.maybe }
    }
    travels(Large()) { $0 == Large() }
    struct Point: Equatable, Sendable { var coordinates: SIMD2<Double> }
    #expect(MemoryLayout<Point>.size == MemoryLayout<(Int, Int)>.size)
    travels(Point(coordinates: [1, 2])) { $0 == Point(coordinates: [1, 2]) }
  }

  @Test("A small value with a weak reference is stored in a box, because its address may be registered", .rule("1.4"))
  func weakReference() {
    struct Weak: @unchecked Sendable { weak var object: AnyObject? }
    final class Object: Sendable {}
    let object = Object()
    #expect(MemoryLayout<Weak>.size <= MemoryLayout<Payload>.size)
    #expect(!Promise<Weak>.isInline)
    travels(Weak(object: object)) { $0.object === object }
    withExtendedLifetime(object) {}
    // These are still moved by copying their words.
    #expect(Promise<Int>.isInline)
    #expect(Promise<String>.isInline)
    #expect(Promise<Object>.isInline)
  }
}
