// What complete checking and Swift 6 mode say about the classes of Docs/Guides/PlainClasses.md.
// modes: plain swift5-complete
import Dispatch
import PromiseContexts

// case value: the value of a promise is a plain class
final class Message {}

// expect: type 'Message' does not conform to the 'Sendable' protocol
func newest() -> Promise<Message> { Deferred().promise }
// case queue: a queue protects the state
final class Archive {
  private let queue = DispatchQueue(label: "archive")
  private var subjects: Set<String> = []

  func keep(_ subject: Promise<String>) -> Promise<String> {
    // expect: capture of 'self' with non-Sendable type 'Archive' in a '@Sendable' closure
    subject.tap(on: queue) { self.subjects.insert($0) }
  }
}
// case shared: a variable of the whole program
final class Server: Sendable {
  // expect: static property 'shared' is not concurrency-safe because it is nonisolated global shared mutable state
  static var shared = Server()
}
// case delegate: a delegate that belongs to the main actor
protocol ServerDelegate: AnyObject {
  func serverHasNews()
}

@MainActor
final class Inbox {}

// expect: conformance of 'Inbox' to protocol 'ServerDelegate' crosses into main actor-isolated code and can cause data races
extension Inbox: ServerDelegate {
  func serverHasNews() {}
}
// end cases
