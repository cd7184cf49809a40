// The program of Docs/Guides/PlainClasses.md before its classes have a place. The compiler says nothing in Swift 5 mode,
// although the first handler writes `messages` on the pool.
// modes: swift5
import Dispatch
import PromiseContexts

final class Message {
  var subject: String
  var isRead = false

  init(subject: String) { self.subject = subject }
}

final class Inbox {
  var messages: [Message] = []

  func refresh(from server: Server) {
    server.messages().onFulfilled { self.messages = $0 }
  }
}

final class Archive {
  private let queue = DispatchQueue(label: "archive")
  private var subjects: Set<String> = []

  func keep(_ subject: Promise<String>) -> Promise<String> {
    subject.tap(on: queue) { self.subjects.insert($0) }
  }
}

final class Server {
  static var shared = Server()

  func messages() -> Promise<[Message]> { .fulfilled([]) }
}
