// What the compiler says about the classes of Docs/Guides/PlainClasses.md in both modes, once they belong to the main
// actor.
// modes: plain swift5
import PromiseContexts

struct Message: Sendable {}

final class Server: Sendable {
  func messages() -> Promise<[Message]> { .fulfilled([]) }
}

@MainActor
final class Inbox {
  private(set) var messages: [Message] = []

  func refresh(from server: Server) {
    // expect: main actor-isolated property 'messages' can not be mutated from a Sendable closure
    server.messages().onFulfilled { self.messages = $0 }
  }
}

func pushArrived(for inbox: Inbox, from server: Server) {
  // expect: call to main actor-isolated instance method 'refresh(from:)' in a synchronous nonisolated context
  inbox.refresh(from: server)
}
