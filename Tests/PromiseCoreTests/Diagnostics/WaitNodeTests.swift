import TestSupport
import Testing

@Suite("Wait nodes and labels") struct WaitNodeTests {
  private let context = ManualContext()

  @Test("A promise waits for each promise that its owner follows, and a settled promise for nothing")
  func follows() {
    let owners = (1...3).map { Deferred<Int>(fileID: "M/F", line: UInt($0)) }
    owners[0].follow(owners[1].promise)
    owners[0].follow(owners[2].promise)
    let nodes = owners[0].promise.waitsFor
    #expect(nodes.map(\.createdAt?.line) == [2, 3])
    #expect(nodes.allSatisfy { $0.kind == .promise && $0.waitsFor.map(\.kind) == [.owner] })
    owners[1].fulfill(1)
    #expect(owners[0].promise.waitsFor.isEmpty)
    #expect(Promise.fulfilled(1).waitsFor.isEmpty)
    #expect(Promise<Int>.rejected(TestError(1)).handled.waitsFor.isEmpty)
  }

  @Test("A promise made on a context waits for a handler until its closure has returned, and then for its owner")
  func ownerMadeLater() {
    let kept = Kept<Deferred<Int>>()
    let promise = Promise<Int>(on: context, fileID: "M/F", line: 1) { kept.value = $0 }
    #expect(promise.waitsFor.map(\.kind) == [.handler])
    // A release build does not know the context, so only the beginning is compared.
    #expect(promise.waitsFor.first?.summary.hasPrefix("the handler of M/F:1, which is queued") == true)
    context.runUntilIdle()
    #expect(promise.waitsFor.map(\.kind) == [.owner])
    kept.value?.fulfill(1)
  }

  @Test("A promise for which two followed promises wait is described once")
  func joint() {
    let owner = Deferred<Int>(fileID: "M/F", line: 1)
    let one = owner.promise.asVoid(fileID: "M/F", line: 2)
    let other = owner.promise.asVoid(fileID: "M/F", line: 3)
    let result = Deferred<Void>(fileID: "M/F", line: 4)
    result.follow(one)
    result.follow(other)
    let text = result.promise.waitsFor.map(\.description).joined(separator: "\n")
    #expect(text.split(separator: "\n").count { $0.contains("its owner") } == 1)
    owner.fulfill(1)
  }

  @Test("A client promise has the label and the description of the promise for which it stands")
  func clientPromise() {
    let owner = Deferred<Int>(label: "shared", cancelsWithoutClients: true, fileID: "M/F", line: 1)
    let client = owner.promise
    #expect(client.label == "shared")
    #expect(client.waitsFor.map(\.kind) == [.owner])
    #expect(client.debugDescription.hasPrefix("Promise<Int> \"shared\", pending, M/F:1"))
  }

  @Test("A later label replaces an earlier label, survives the settlement, and is shortened to fit on a line")
  func labels() {
    let owner = Deferred<Int>(label: "first", fileID: "M/F", line: 1)
    owner.promise.labeled("second\nline")
    #expect(owner.promise.label == "second\nline")
    owner.fulfill(1)
    #expect(owner.promise.debugDescription == "Promise<Int> \"second line\", fulfilled: 1, M/F:1")
    #expect(Promise.fulfilled(1).map(on: context) { $0 }.label == nil)
    owner.promise.labeled(String(repeating: "x", count: 1_000))
    #expect(owner.promise.debugDescription.count < 120)
    context.runUntilIdle()
  }

  @Test("A kind of wait is equal to one with the same name, and may be of a later version")
  func kinds() {
    #expect(WaitNode.Kind(rawValue: "owner") == .owner)
    #expect("\(WaitNode.Kind.owner)" == "owner")
    #expect(WaitNode.Kind(rawValue: "lock").rawValue == "lock")
  }

  private final class Kept<Value: Sendable>: @unchecked Sendable { var value: Value? }
}

extension Promise {
  /// The promise itself, with its rejection marked as handled.
  fileprivate var handled: Promise {
    _ = error
    return self
  }
}
