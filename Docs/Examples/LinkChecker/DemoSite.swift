import LoopbackServer
import PromiseHTTP
import Synchronization

/// A small site with one broken link. One of its pages answers the first request with status 503.
final class DemoSite: Sendable {
  private let server: LoopbackServer

  var address: String { server.address }

  init() throws {
    let isBusy = Mutex(true)
    @Sendable func wasBusy() -> Bool {
      isBusy.withLock { isBusy in
        defer { isBusy = false }
        return isBusy
      }
    }
    server = try LoopbackServer { request in
      switch request.path {
      case "/": .html(#"<a href="/guide">Guide</a> <a href="/news">News</a> <img src="/logo.png">"#)
      case "/guide": .html(#"<a href="/">Home</a> <a href="/guide/old">Before</a>"#)
      case "/news":
        wasBusy() ? .text("busy", status: 503) : .html(#"<a href="/guide#top">Guide</a>"#)
      case "/logo.png": .bytes([0x89, 0x50, 0x4e, 0x47], type: "image/png")
      default: .notFound
      }
    }
  }
}

extension Response {
  static func html(_ body: String) -> Self { .bytes(Array("<html>\(body)</html>".utf8), type: "text/html") }
}
