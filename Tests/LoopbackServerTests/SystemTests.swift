// Each test runs in its own process, because all threads of a process share descriptors, limits and signal handlers.
#if os(Linux) || os(macOS)
  import Foundation
  import LoopbackServer
  import TestSupport
  import Testing

  @Suite struct SystemTests {
    @Test("A stopped server leaves no descriptor open, and neither do connections that ended earlier")
    func descriptors() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { $0.path == "/cut" ? .cut : .text("a") }
        let before = openDescriptors()
        for _ in 0..<50 {
          _ = try exchange(server, get())
          _ = try? exchange(server, get("/cut"))
          _ = try exchange(server, "nonsense\n\n")
        }
        // The server closes the descriptors of ended connections soon, and not only when it is stopped.
        let limit = HangLimit()
        while openDescriptors() > before, !limit.isReached { sched_yield() }
        #expect(openDescriptors() == before)
        let open = try (0..<10).map { _ in try Client(server) }
        server.stop()
        for client in open { client.close() }
        // The stopped server has also closed its listening socket and both ends of its pipe.
        #expect(openDescriptors() == before - 3)
      }
    }

    @Test("A client that disconnects does not kill the process")
    func pipeSignal() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_DFL)
        let gone = Gate()
        let end = Gate()
        let large = [UInt8](repeating: 0, count: 8_000_000)
        let pieces: [Piece] = [.call { gone.wait("client") }, .bytes(large), .bytes(large), .call { end.open() }]
        let server = try LoopbackServer { _ in Response(pieces: pieces, framing: .chunked) }
        let client = try Client(server)
        client.send(get())
        _ = try client.readHead()
        client.close()
        gone.open()
        end.wait("last piece")
      }
    }

    @Test("A signal does not end a connection")
    func interruption() async {
      await #expect(processExitsWith: .success) {
        signal(SIGUSR1) { _ in }
        // Without this, the system restarts interrupted calls by itself.
        var action = sigaction()
        #expect(unsafe sigaction(SIGUSR1, nil, &action) == 0)
        action.sa_flags &= ~CInt(SA_RESTART)
        #expect(unsafe sigaction(SIGUSR1, &action, nil) == 0)
        let thread = Locked<pthread_t?>(nil)
        let server = try LoopbackServer { _ in
          thread.withLock { $0 = pthread_self() }
          return .text("a")
        }
        let client = try Client(server)
        for _ in 0..<50 {
          client.send(keeping)
          #expect(try client.readHead().hasPrefix("HTTP/1.1 200 OK"))
          #expect(try client.read(1) == "a")
          // The connection waits for the next request, now or in a moment.
          for _ in 0..<20 {
            sched_yield()
            thread.withLock { if let thread = $0 { pthread_kill(thread, SIGUSR1) } }
          }
        }
      }
    }

    @Test("Connections wait while the process has no descriptors left")
    func exhaustion() async {
      await #expect(processExitsWith: .success) {
        let server = try LoopbackServer { _ in .text("a") }
        var taken: [CInt] = []
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        #if canImport(Glibc)
          #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        #else
          #expect(unsafe setrlimit(RLIMIT_NOFILE, &limit) == 0)
        #endif
        while case let copy = dup(2), copy >= 0 { taken.append(copy) }
        close(taken.removeLast())
        let client = try Client(server)
        client.send(get())
        // The server may fail to accept before descriptors are free, or may never fail. The answer arrives in both
        // cases.
        for _ in 0..<100 { sched_yield() }
        for copy in taken { close(copy) }
        #expect(try client.readAll().hasSuffix("\n\na"))
      }
    }
  }

  /// Counts open sockets and pipes only, because Dispatch may open descriptors of other kinds at any time.
  private func openDescriptors() -> Int {
    (CInt(0)..<256).count { descriptor in
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return false }
      return [S_IFSOCK, S_IFIFO].contains(status.st_mode & S_IFMT)
    }
  }
#endif
