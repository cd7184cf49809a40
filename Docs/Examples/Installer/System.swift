import Foundation
import PromiseCombinators
import PromiseHTTP
import PromiseProcesses

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A file that is downloaded, with the SHA-256 that it must have.
struct Download: Sendable {
  let name: String
  let address: String
  let checksum: String
}

struct WrongChecksum: Error, Equatable {
  let name: String
}

/// The functions of the system that the steps use. Tests replace it with closures that return promises of their own.
struct System: Sendable {
  /// Downloads an address to a path.
  let fetch: @Sendable (_ address: String, _ path: String) -> Promise<Void>
  /// Returns a promise for the SHA-256 of a file, in hexadecimal digits.
  let checksum: @Sendable (_ path: String) -> Promise<String>
  /// Runs a program, and rejects if it fails. Cancelling the promise ends the program.
  let run: @Sendable (_ command: [String]) -> Promise<Void>
}

extension System {
  init(session: URLSession) {
    fetch = { address, path in
      session.promise(for: .get(address), downloadingTo: URL(fileURLWithPath: path)).asVoid()
    }
    checksum = { path in
      Self.checksumProgram(path).run().map { result in String(result.text.prefix { $0 != " " }) }
    }
    run = { command in
      Command(command[0], Array(command.dropFirst())).run().asVoid()
    }
  }
  private static func checksumProgram(_ path: String) -> Command {
    #if canImport(Darwin)
      Command("shasum", ["-a", "256", path])
    #else
      Command("sha256sum", [path])
    #endif
  }
}
