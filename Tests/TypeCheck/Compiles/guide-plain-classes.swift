// The program of Docs/Guides/PlainClasses.md after the move.
// modes: plain swift5 swift5-complete
import Dispatch
import PromiseContexts
import Synchronization

struct Message: Sendable {
  var subject: String
  var isRead = false
}

@MainActor
final class Inbox {
  private(set) var messages: [Message] = []

  func refresh(from server: Server) {
    server.messages().onFulfilled(on: .main) { self.messages = $0 }
  }
}

/// All methods may be called on any thread, because only `queue` reads and writes `subjects`.
final class Archive: @unchecked Sendable {
  private let queue = DispatchQueue(label: "archive")
  private var subjects: Set<String> = []

  func keep(_ subject: Promise<String>) -> Promise<String> {
    subject.tap(on: queue) { self.subjects.insert($0) }
  }
}

final class Server: Sendable {
  static let shared = Server()

  private let count = Mutex(0)

  func messages() -> Promise<[Message]> {
    count.withLock { $0 += 1 }
    return .fulfilled([])
  }
}

protocol ServerDelegate: AnyObject {
  func serverHasNews(_ server: Server)
}

// The server calls its delegate on the main thread.
extension Inbox: @preconcurrency ServerDelegate {
  func serverHasNews(_ server: Server) { refresh(from: server) }
}

@MainActor
func launch(_ inbox: Inbox) {
  inbox.refresh(from: .shared)
}

func pushArrived(for inbox: Inbox) async {
  await inbox.refresh(from: .shared)
}

func pushHasArrived(for inbox: Inbox) {
  DispatchQueue.main.async { inbox.refresh(from: .shared) }
}
