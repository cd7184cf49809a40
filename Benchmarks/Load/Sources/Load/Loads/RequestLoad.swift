import Foundation
import LoadServer
import PromiseCombinators
import PromiseHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests to a server in the same process: small and large answers, a body that comes back, errors, and requests
/// without an answer, which are cancelled.
final class RequestLoad: Load {
  let name = "requests"
  let tally = Tally()
  let rate: Double

  private let timers: CountedTimers
  private let server: LoopbackServer
  private let session = RequestLoad.session

  /// How many connections the session keeps for later requests, even if the server has ended them.
  static let connectionLimit = 4

  /// All runs share it, because Foundation on Linux keeps sockets of a session open after its invalidation.
  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpMaximumConnectionsPerHost = connectionLimit
    return URLSession(configuration: configuration)
  }()

  init(_ surroundings: Surroundings) throws {
    rate = 20 * surroundings.scale
    timers = surroundings.timers
    server = try LoopbackServer(recordsRequests: false) { request in
      switch request.path {
      case "/small": .text("small")
      case "/large": .bytes([UInt8](repeating: 7, count: 100_000))
      case "/echo": .bytes(request.body)
      case "/silence": .silence
      default: .notFound
      }
    }
  }

  func proceed(_ count: Int) {
    for _ in 0..<count { request(tally.counts.begun) }
  }

  private func request(_ number: Int) {
    let start = tally.begin()
    let address = server.address
    switch number % 8 {
    case 0:
      let silence = session.promise(for: .get(address + "/silence")).timeout(.milliseconds(50), timers: timers)
      tally.observe(silence, since: start) { $0.isRejected(with: .timedOut) }
    case 1:
      tally.observe(session.promise(for: .get(address + "/missing")), since: start) { result in
        if case .failure(HTTPError.status(let response)) = result { response.status == 404 } else { false }
      }
    case 2:
      tally.observe(session.promise(for: .get(address + "/large")), since: start) {
        (try? $0.get())?.body.count == 100_000
      }
    case 3, 4:
      let body = Data("number \(number)".utf8)
      tally.observe(session.promise(for: .post(address + "/echo").body(body)), since: start) {
        (try? $0.get())?.body == body
      }
    default:
      tally.observe(session.promise(for: .get(address + "/small")), since: start) { (try? $0.get())?.text == "small" }
    }
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    return tally.bag.whenFinished().tap { [server] _ in server.stop() }
  }
}
