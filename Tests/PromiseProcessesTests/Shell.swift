import PromiseProcesses
import Testing

/// Returns whether a process with this number exists, even if it has ended and its status was not collected.
func exists(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

/// Returns whether a child of this process has ended, without collecting its status.
func hasEnded(_ process: pid_t) -> Bool {
  var info = unsafe siginfo_t()
  return unsafe waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_signo != 0
}

extension Command {
  /// The text of the error with which the command fails, or `nil` if it succeeds.
  var failureText: String? { get async { await run().awaitedError.map { "\($0)" } } }
}

extension Error {
  /// The result of a program that has failed.
  var failedResult: CommandResult? { if case .failed(let result) = self as? CommandError { result } else { nil } }
}

extension Folder {
  /// Waits until a script has written numbers and a final line break to a file, and returns the numbers.
  func numbers(in name: String) async -> [pid_t] {
    var text = ""
    _ = await eventually {
      text = (try? String(contentsOf: file(name), encoding: .utf8)) ?? ""
      return text.hasSuffix("\n")
    }
    return text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
  }
}

extension HandRungTimers {
  /// Moves the time by a minute, again and again, until another thread makes the condition true. Returns whether it
  /// does.
  func advance(until isTrue: () -> Bool) async -> Bool {
    await eventually {
      advance(by: .seconds(60))
      return isTrue()
    }
  }
}

#if os(Linux)
  /// Runs the body while this process can open no descriptor. It is for tests that run in a process of their own.
  func withoutDescriptors<Value>(_ body: () -> Value) -> Value {
    let former = setLimit(of: RLIMIT_NOFILE, to: 0)
    defer { setLimit(of: RLIMIT_NOFILE, to: former) }
    return body()
  }

  /// Returns whether this process has a file open.
  func isOpen(_ file: URL) -> Bool {
    let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return links.contains { link in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(link)")) == file.path
    }
  }
#endif
