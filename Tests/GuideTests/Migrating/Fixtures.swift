import PromiseCombinators

// These declarations stand for a client's code in the tables of Docs/Migrating.

struct Refused: Error, Equatable {}

@MainActor final class Label {
  var text = ""
  @discardableResult func show(_ number: Int) -> Int { number }
  func show(_ error: any Error) -> Int { 0 }
}

final class Gauge: Sendable {
  func show(_ progress: Double) {}
}

@Sendable func load(_ number: Int) -> Promise<Int> { .fulfilled(number) }
@Sendable func pages(_ number: Int) -> Promise<[Int]> { .fulfilled([number]) }
func work() throws -> Int { 1 }
func ask(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) { completion(1, nil) }
func stop() {}
func show(_ number: Int) {}
func log(_ what: Any) {}
func queueIsEmpty() -> Bool { true }

// These types stand for a client's code in the examples of the guides.

struct PictureServer: Sendable {
  let isOffline: Bool
  func user(_ id: Int) -> Promise<String> { .fulfilled("user \(id)") }
  func picture(of user: String) -> Promise<String> {
    isOffline ? .rejected(Refused()) : .fulfilled("picture of \(user)")
  }
}

@MainActor final class PictureScreen {
  var picture = ""
  var message = ""
  var isBusy = true
}
