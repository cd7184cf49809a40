#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  /// A way to notice that a child process has ended. None of them collects its status.
  enum ExitObservation: Sendable {
    /// Polls a descriptor that becomes readable when the process has ended, which only Linux has. Needs no thread.
    case descriptor
    /// Blocks a thread in `waitid`.
    case thread

    static var `default`: Self {
      #if canImport(Darwin)
        .thread
      #else
        .descriptor
      #endif
    }

    /// Starts to observe a process.
    ///
    /// - Parameter exited: runs once, on the queue, when the process has ended.
    func start(
      _ process: pid_t, on queue: DispatchQueue, with monitor: DescriptorMonitor,
      _ exited: @escaping @Sendable () -> Void
    ) {
      #if !canImport(Darwin)
        // Kernels before 5.3 and some sandboxes have no such descriptors, and this process may have no descriptor left.
        // Then a thread waits.
        if self == .descriptor, let file = try? Descriptor(CLibrary.processDescriptor(process)) {
          monitor.wait(for: POLLIN, of: file, on: queue, exited)
          return
        }
      #endif
      let thread = Thread {
        var info = unsafe siginfo_t()
        // `WNOWAIT` leaves the status for `waitpid`, so that the system does not reuse the number of the process
        // before. Safe, because the call writes only to the variable.
        while unsafe waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        queue.async(execute: exited)
      }
      thread.name = "Promises.command"
      thread.stackSize = 64 << 10
      thread.start()
    }

    /// Starts to observe a process that a child process has started. No thread can wait for such a process.
    ///
    /// - Parameters:
    ///   - group: the group of which it is a member.
    ///   - pause: the milliseconds after which `changed` runs if the end of the process cannot be noticed.
    ///   - changed: runs once, on the queue. The process may have ended.
    func start(
      _ process: pid_t, of group: ProcessGroup, on queue: DispatchQueue, with monitor: DescriptorMonitor,
      lookingAgainAfter pause: Int, _ changed: @escaping @Sendable () -> Void
    ) {
      #if !canImport(Darwin)
        if self == .descriptor, let file = try? Descriptor(CLibrary.processDescriptor(process)) {
          // If the process has ended before, its number may be that of another process, for which nothing must wait.
          guard group.contains(process) else { return queue.async(execute: changed) }
          monitor.wait(for: POLLIN, of: file, on: queue, changed)
          return
        }
      #endif
      queue.asyncAfter(deadline: .now() + .milliseconds(pause), execute: changed)
    }
  }
#endif
