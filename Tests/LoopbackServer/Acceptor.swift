import Foundation

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
  private let handler: LoopbackServer.Handler
  /// The listening socket, until the accepting thread takes it. That thread closes it.
  private let listening: Guarded<Socket?>
  private let signal: StopSignal
  private let threads = ThreadGroup()
  private let state = Guarded(State())

  init(limits: Limits, handler: @escaping LoopbackServer.Handler) throws(LoopbackServer.Failure) {
    let socket = try Socket.listening()
    port = try socket.port()
    signal = try StopSignal()
    listening = Guarded(socket)
    self.limits = limits
    self.handler = handler
  }

  var requests: [Request] { state.withLock { $0.requests } }

  func start() throws(LoopbackServer.Failure) {
    try threads.start { self.run() }
  }

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
          self.state.withLock { $0.requests.append(request) }
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

  private func dismiss(_ number: Int) {
    state.withLock { _ = $0.sockets.removeValue(forKey: number) }
  }
}

/// Wakes the thread that waits for connections. It is a pipe, because shutting a listening socket wakes its thread only
/// on Linux.
final class StopSignal: Sendable {
  /// The reading end, which only the waiting thread uses and closes.
  private let reading: CInt
  private let open: Guarded<Set<CInt>>
  private let writing: CInt

  init() throws(LoopbackServer.Failure) {
    var ends: [CInt] = [0, 0]
    // Safe, because the call writes two numbers.
    try check("pipe", unsafe pipe(&ends))
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    writing = ends[1]
    open = Guarded(Set(ends))
  }

  deinit {
    give()
    forget()
  }

  /// Gives the signal permanently. It closes the writing end, so the reading end reports the end of the pipe.
  func give() { close(writing) }

  /// Closes the reading end, because the waiting thread will not wait again.
  func forget() { close(reading) }

  /// Blocks until there is a connection to accept, and returns true. Returns false after the signal.
  func wait(for socket: Socket) -> Bool {
    var watched = [reading, socket.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    repeat { watched[0].revents = 0 } while poll(&watched, timeout: -1) < 0 && errno == EINTR
    return watched[0].revents == 0
  }

  /// Waits a moment when the system has no descriptors or threads left, so that others may give some back. The signal
  /// ends the wait early.
  func pause() {
    var watched = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
    _ = poll(&watched, timeout: 10)
  }

  private func close(_ end: CInt) {
    if open.withLock({ $0.remove(end) }) != nil { _ = systemClose(end) }
  }

  private func poll(_ watched: inout [pollfd], timeout: CInt) -> CInt {
    // Safe, because the call reads and writes as many entries as the array has.
    unsafe systemPoll(&watched, nfds_t(watched.count), timeout)
  }
}

// Inside the class, these names mean its own functions.
private let systemClose: @Sendable (CInt) -> CInt = { close($0) }
private let systemPoll: @Sendable (UnsafeMutablePointer<pollfd>?, nfds_t, CInt) -> CInt = { unsafe poll($0, $1, $2) }
