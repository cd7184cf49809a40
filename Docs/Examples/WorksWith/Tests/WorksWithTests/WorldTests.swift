import PromiseCombinators
import PromiseTesting
import Testing
import XCTest

// MARK: A trait that runs a test in a world

/// Runs each test, and each case of a parameterised test, in a world of its own.
///
/// A test may await only what happens in its world. A test that awaits anything else stops the process, because the
/// framework does not let its closure outlive the scope.
struct WorldTrait: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal static var world: TestWorld?

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try withoutActuallyEscaping(function) { function in try runInWorld(function) }
  }

  /// A function of its own, because a world is run by synchronous code.
  private func runInWorld(_ function: @escaping @Sendable () async throws -> Void) throws {
    try TestWorld.run { world in try await Self.$world.withValue(world) { try await function() } }
  }
}

extension Trait where Self == WorldTrait {
  static var world: Self { WorldTrait() }
}

/// The world of the running test.
var world: TestWorld {
  get throws { try #require(WorldTrait.world, "the test has no trait `.world`") }
}

@Suite("Worlds in Swift Testing") struct WorldTests {
  @Test("A test with the trait runs in its own time", .world)
  func trait() async throws {
    let late = Promise.after(.seconds(3_600), fulfill: 1).map { $0 + 1 }
    #expect(try await late.value == 2)
    #expect(try world.clock.elapsed == .seconds(3_600))
  }

  @Test("Each case of a parameterised test has a world of its own", .world, arguments: 1...5)
  func cases(seconds: Int) async throws {
    try await Promise.after(.seconds(seconds)).value
    #expect(try world.clock.elapsed == .seconds(seconds))
  }

  @Test("A promise that a test leaves pending is an issue, which may be a known one")
  func knownIssue() throws {
    let forgotten = Deferred<Int>()
    try withKnownIssue {
      try TestWorld.run { _ in _ = forgotten.promise.map { $0 + 1 } }
    } matching: {
      $0.error is WorldReport
    }
    forgotten.fulfill(1)
  }

  @Test("Expectations in handlers of a world belong to the test")
  func expectationInHandler() {
    withKnownIssue {
      try TestWorld.run { world in
        let checked = Promise.fulfilled(1).map { #expect($0 == 2) }
        _ = try world.run(until: checked)
      }
    }
  }
}

/// Worlds in a class of XCTest.
final class WorldXCTests: XCTestCase {
  func testTimeout() throws {
    try TestWorld.run { world throws in
      let owner = Deferred<Int>()
      let limited = owner.promise.timeout(.seconds(5))
      world.advance(by: .seconds(5))
      XCTAssertThrowsError(try limited.result?.get()) {
        XCTAssertEqual(($0 as? PromiseError)?.code, .timedOut)
      }
      withExtendedLifetime(owner) {}
    }
  }

  func testAsyncCode() throws {
    let value = try TestWorld.run { _ in try await Promise.after(.seconds(60), fulfill: 1).value }
    XCTAssertEqual(value, 1)
  }
}
