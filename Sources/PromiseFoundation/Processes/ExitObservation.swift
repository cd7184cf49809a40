#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  /// A way to notice that a child process has ended. None of them collects its status.
  enum ExitObservation: Sendable {
    /// A file of Linux that can be read as soon as the process has ended. Costs no thread.
    case descriptor
    /// A thread that waits.
    case thread

    static var `default`: Self {
      #if canImport(Darwin)
        .thread
      #else
        .descriptor
      #endif
    }

    /// - Parameter exited: runs once, on the queue, when the process has ended.
    func start(
      _ process: pid_t, on queue: DispatchQueue, with monitor: DescriptorMonitor,
      _ exited: @escaping @Sendable () -> Void
    ) {
      #if !canImport(Darwin)
        // Kernels before 5.3 and some sandboxes have no such file, and a process may have no descriptor left.
        if self == .descriptor, let file = try? Descriptor(CLibrary.processDescriptor(process)) {
          monitor.wait(for: POLLIN, of: file, on: queue, exited)
          return
        }
      #endif
      let thread = Thread {
        var info = unsafe siginfo_t()
        // Leaves the status for `waitpid`, so that the number of the process stays taken until then. Safe: writes into
        // what it is given.
        while unsafe waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        queue.async(execute: exited)
      }
      thread.name = "Promises.command"
      thread.stackSize = 64 << 10
      thread.start()
    }
  }
#endif
