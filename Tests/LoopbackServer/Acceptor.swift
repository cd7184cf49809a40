#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Accepts connections and gives each a thread. Keeps the sockets of all connections, in order to end them.
final class Acceptor: Sendable {
  private struct State {
    var isStopped = false
    var accepted = 0
    var sockets: [Int: Socket] = [:]
    var requests: [Request] = []
  }

  let port: UInt16
  private let limits: Limits
  private let recordsRequests: Bool
  private let handler: LoopbackServer.Handler
  /// The listening socket, until the accepting thread takes it. That thread closes it.
  private let listening: Guarded<Socket?>
  private let signal: StopSignal
  private let threads = ThreadGroup()
  private let state = Guarded(State())

  init(
    limits: Limits, recordsRequests: Bool, handler: @escaping LoopbackServer.Handler
  ) throws(LoopbackServer.Failure) {
    let socket = try Socket.listening()
    port = try socket.port()
    signal = try StopSignal()
    listening = Guarded(socket)
    self.limits = limits
    self.recordsRequests = recordsRequests
    self.handler = handler
  }

  var requests: [Request] { state.withLock { $0.requests } }

  func start() throws(LoopbackServer.Failure) { try threads.start { self.run() } }

  func stop() {
    let sockets = state.withLock { state in
      state.isStopped = true
      return state.sockets.values
    }
    signal.give()
    for socket in sockets { socket.shut() }
    threads.wait()
  }

  private func run() {
    guard let socket = listening.withLock({ $0.take() }) else { return }
    defer { signal.forget() }
    while signal.wait(for: socket) {
      do {
        try serve(socket.accepted())
      } catch {
        // Other errors of `accept` mean that the connection has already ended.
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.code) || error.call != "accept" { signal.pause() }
      }
    }
  }

  private func serve(_ socket: Socket) throws(LoopbackServer.Failure) {
    guard let number = admit(socket) else { return }
    let connection = Connection(number: number, socket: socket, limits: limits)
    do {
      try threads.start {
        connection.serve { request in
          if self.recordsRequests { self.state.withLock { $0.requests.append(request) } }
          return self.handler(request)
        }
        self.dismiss(number)
      }
    } catch {
      dismiss(number)
      throw error
    }
  }

  private func admit(_ socket: Socket) -> Int? {
    state.withLock { state in
      if state.isStopped { return nil }
      defer { state.accepted += 1 }
      state.sockets[state.accepted] = socket
      return state.accepted
    }
  }

  private func dismiss(_ number: Int) { state.withLock { _ = $0.sockets.removeValue(forKey: number) } }
}
