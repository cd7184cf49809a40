#if os(macOS) || os(Linux)
  import Foundation

  #if canImport(Darwin)
    import Darwin
  #endif

  /// The processes that a program has started, with the program itself. A process that has joined another group, as
  /// daemons do, does not belong to it. A program that has joined another group itself leads none, which counts as a
  /// group without processes.
  struct ProcessGroup: Sendable {
    /// The number of the program that leads the group.
    let number: pid_t

    init(ledBy process: pid_t) { number = process }

    /// A process of the group that has not ended, or `nil` if there is none.
    ///
    /// A process has ended also if its status was not collected. `kill` and `getpgid` find such a process, so these
    /// calls do not suffice.
    ///
    /// On Linux, this reads `/proc`. Where that is missing or may not be read, no process is found. If only the status
    /// of the leader may not be read, the leader has ended, because this is called after its end.
    ///
    /// - Throws: an error if the system cannot tell at the moment, for example because this process has no descriptor
    ///   left. Then look again later.
    var runningProcess: pid_t? {
      get throws {
        guard kill(-number, 0) == 0 || errno == EPERM else { return nil }
        #if canImport(Darwin)
          var name = [CTL_KERN, KERN_PROC, KERN_PROC_PGRP, number]
          var size = 0
          // Safe, because each call writes no more bytes than the size says, and only after that the entries are read.
          if unsafe sysctl(&name, UInt32(name.count), nil, &size, nil, 0) != 0 {
            if errno == EPERM { return nil }
            throw SystemError()
          }
          var entries = unsafe [kinfo_proc](repeating: kinfo_proc(), count: size / MemoryLayout<kinfo_proc>.stride)
          // Fails with `ENOMEM` if the group has grown since the first call.
          guard unsafe sysctl(&name, UInt32(name.count), &entries, &size, nil, 0) == 0 else { throw SystemError() }
          return unsafe entries.prefix(size / MemoryLayout<kinfo_proc>.stride)
            .first { unsafe Int32($0.kp_proc.p_stat) != SZOMB }?.kp_proc.p_pid
        #else
          let names: [String]
          do { names = try FileManager.default.contentsOfDirectory(atPath: "/proc") } catch let error as CocoaError
            where [.fileReadNoSuchFile, .fileReadNoPermission].contains(error.code)
          { return nil }
          return names.lazy.compactMap { pid_t($0) }.first { contains($0) && isRunning($0) }
        #endif
      }
    }

    func contains(_ process: pid_t) -> Bool { getpgid(process) == number }

    #if !canImport(Darwin)
      /// Whether a process has not ended. A process of the group whose status cannot be read, for example because this
      /// process has no descriptor left, may still run.
      private func isRunning(_ process: pid_t) -> Bool {
        FileManager.default.contents(atPath: "/proc/\(process)/stat").map(Self.isRunning)
          ?? (process != number && contains(process))
      }

      /// Whether any thread of a process has not ended. The first thread may end before the others, as that of a
      /// program which calls `dispatchMain` does.
      ///
      /// - Parameter status: the content of the process's file `stat`.
      static func isRunning(_ status: Data) -> Bool {
        // The name in parentheses may have any characters. The state is the first word behind it, and the number of
        // threads is the 18th.
        let name = status.lastIndex(of: UInt8(ascii: ")")) ?? status.startIndex
        let words = status[name...].dropFirst().split(separator: UInt8(ascii: " "))
        guard words.count >= 18, ["Z", "X"].contains(String(decoding: words[0], as: UTF8.self)) else { return true }
        return Int(String(decoding: words[17], as: UTF8.self)) ?? 0 > 1
      }
    #endif
  }
#endif
