#if os(Linux)
  import Foundation
  import PromiseContexts
  import PromiseProcesses
  import TestSupport
  import Testing

  /// A run of a program of this package in its own process, to which SIGINT was sent.
  struct InterruptedRun {
    let result: CommandResult

    /// Sends the signal when the program has a handler for it and the condition is true.
    init(_ name: String, _ argument: String, when isReady: @escaping @Sendable () -> Bool = { true }) async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pid")
      defer { try? FileManager.default.removeItem(at: file) }
      // `Process` is not used, because it makes the program inherit the blocked signals of threads of Dispatch.
      let script = #"echo $$ >"$1"; exec "$2" "$3""#
      let program = ProgramRun.products.appending(path: name).path
      let run = Command("sh", ["-c", script, "sh", file.path, program, argument]).acceptingAnyTermination().run()
      let ready = Deferred<pid_t?>()
      // A thread of its own looks, because other tests may occupy those of Swift's pool until the program has ended.
      Thread.detachNewThread {
        let limit = HangLimit()
        // A program that has ended is never ready.
        while run.isPending, !limit.isReached {
          let process = (try? String(contentsOf: file, encoding: .utf8)).flatMap { pid_t($0.dropLast()) }
          // The shell has a handler of its own for the signal, until the program takes its place.
          if let process, Self.isRunning(name, process), Self.catches(SIGINT, process), isReady() {
            ready.fulfill(process)
            return
          }
          sched_yield()
        }
        ready.fulfill(nil)
      }
      let process = try await ready.promise.value
      guard run.isPending else {
        result = try await run.value
        Issue.record("the program has ended before it was ready: \(result)")
        return
      }
      kill(try #require(process, "the program was not ready in time"), SIGINT)
      result = try await run.value
    }

    /// Whether a process runs the program of this name.
    private static func isRunning(_ name: String, _ process: pid_t) -> Bool {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
      return path?.hasSuffix("/\(name)") ?? false
    }

    /// Whether a process has a handler for a signal.
    private static func catches(_ signal: Int32, _ process: pid_t) -> Bool {
      let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
      let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
      return mask >> UInt64(signal - 1) & 1 == 1
    }
  }
#endif
