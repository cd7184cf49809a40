import PromiseContexts
import TestSupport
import Testing

// Contains the snippets of Docs/Guides/Chaining.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Parcel: Sendable {
  let number: Int
  var isPaid = true
  var days = 0
}

private struct NoSuchParcel: Error, Equatable { let number: Int }
private struct Offline: Error { let since: String }
private struct Unavailable: Error {}

/// A server that answers at once, because the tests concern the chains behind its answers.
private struct Server: Sendable {
  let parcels: [Parcel]
  let isOffline: Bool

  func parcel(_ number: Int) -> Promise<Parcel> {
    parcels.first { $0.number == number }.map { .fulfilled($0) } ?? .rejected(NoSuchParcel(number: number))
  }

  func position(of parcel: Parcel) -> Promise<String> {
    isOffline ? .rejected(Offline(since: "noon")) : .fulfilled("Oslo")
  }
}

/// A screen that may be deallocated while its chain waits.
private final class Tracker: Sendable {
  let request = Deferred<Parcel>()

  func parcel(_ number: Int) -> Promise<Parcel> { request.promise }
  func position(of parcel: Parcel) -> Promise<String> { .fulfilled("Oslo") }

  func follow(_ number: Int) -> Promise<String> {
    parcel(number)
      .then { [weak self] parcel in self?.position(of: parcel) ?? .rejected(CancellationError()) }
  }
}

private struct Shop {
  let server: Server
  let log = Log<String>()

  init(_ parcels: [Parcel] = [Parcel(number: 7)], isOffline: Bool = false) {
    server = Server(parcels: parcels, isOffline: isOffline)
  }

  func parcel(_ number: Int) -> Promise<Parcel> { server.parcel(number) }
  func position(of parcel: Parcel) -> Promise<String> { server.position(of: parcel) }

  func whereIs(_ number: Int) -> Promise<String> {
    parcel(number)
      .validate { $0.isPaid }
      .then { position(of: $0) }
      .map { "Your parcel is in \($0)." }
  }

  func lastKnown(_ number: Int) -> Promise<String> { .fulfilled("It was in Oslo.") }

  func whereIsOrWhy(_ number: Int) -> Promise<String> {
    whereIs(number)
      .catch(only: Offline.self) { log.append("offline since \($0.since)") }
      .rescue(from: Offline.self) { _ in lastKnown(number) }
      .recover(from: NoSuchParcel.self) { "There is no parcel \($0.number)." }
  }

  func attachLogs(_ number: Int) {
    whereIs(number)
      .catch(only: NoSuchParcel.self, where: { $0.number < 0 }, { _ in log.append("not a number of a parcel") })
      .catch(only: (any Error).self, where: { $0 is Offline || $0 is Unavailable }, { log.append("try again: \($0)") })
  }

  func whereIsOrLastKnown(_ number: Int) -> Promise<String> {
    whereIs(number)
      .catchFailure(only: Offline.self) { log.append("offline since \($0.since)") }
      .rescueFailure { _ in lastKnown(number) }  // not if the look-up was cancelled
      .recoverFailure { _ in "unknown" }
  }

  func arrival(of number: Int) -> Promise<String> {
    whereIs(number).then { text in text.hasSuffix("home.") ? .fulfilled(text) : arrival(of: number) }
  }

  func show() {
    whereIs(7)
      .tap { log.append($0) }
      .catch { log.append("Sorry: \($0)") }
  }

  func nested() {
    parcel(7)
      .map { position(of: $0) }  // wrong: the value is a promise
      .onFulfilled { log.append("It is in \($0).") }  // It is in Promise<String>, pending, Shop/Parcels.swift:9.
  }

  func tell() -> Promise<Int> {
    parcel(7)
      .map(to: Int.self) { parcel in
        let days = parcel.days
        return max(days, 1)
      }
      .tap { print($0) }
  }
}

/// Only compiled, because the hook belongs to the whole process, in which other tests run.
private func reports() {
  Diagnostics.onUnhandledRejection { report in print(report) }
}

@Suite("The guide to chaining") struct ChainingTests {
  @Test("An outcome passes links that have no closure for it", .rule("2.3"), arguments: [true, false])
  func passes(_ isKnown: Bool) throws {
    let shop = Shop(isKnown ? [Parcel(number: 7)] : [])
    try TestWorld.run(checking: .running) { world in
      shop.show()
      world.runUntilIdle()
    }
    #expect(shop.log.entries == [isKnown ? "Your parcel is in Oslo." : "Sorry: NoSuchParcel(number: 7)"])
  }

  @Test("A map whose closure returns a promise does not wait for it")
  func mapWithPromise() throws {
    try TestWorld.run { world in
      let shop = Shop()
      shop.nested()
      world.runUntilIdle()
      #expect(shop.log.entries.first?.hasPrefix("It is in Promise<String>, ") == true)
    }
  }

  @Test("A chain whose object was deallocated is cancelled, and may recover", .rule("1.2", "7.1"))
  func weakObject() throws {
    try TestWorld.run { world in
      var tracker: Tracker? = Tracker()
      let request = tracker?.request
      let followed = tracker?.follow(7)
      let recovered = followed?.recover { _ in "not shown" }
      tracker = nil
      request?.fulfill(Parcel(number: 7))
      world.runUntilIdle()
      #expect(followed?.isCancelled == true)
      #expect(recovered?.state.value == "not shown")
    }
  }

  @Test("Handlers for a type of error handle only errors of that type")
  func errors() throws {
    try TestWorld.run { world in
      let shop = Shop(isOffline: true)
      #expect(world.settling(shop.whereIsOrWhy(7)).state.value == "It was in Oslo.")
      #expect(world.settling(shop.whereIsOrWhy(8)).state.value == "There is no parcel 8.")
      #expect(shop.log.entries == ["offline since noon"])
      #expect(world.settling(shop.whereIsOrLastKnown(7)).state.value == "It was in Oslo.")
      #expect(shop.log.entries == ["offline since noon", "offline since noon"])
      let unpaid = Shop([Parcel(number: 7, isPaid: false)])
      #expect(world.settling(unpaid.whereIsOrWhy(7)).error is PromiseError)
    }
  }
}
