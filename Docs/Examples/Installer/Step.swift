import PromiseCombinators

/// One step of an installation, and how to undo it.
///
/// A step that is rejected has changed nothing. So a step that fails halfway cleans up after itself, and only steps that
/// have come to their end are undone.
struct Step: Sendable {
  let name: String
  let perform: @Sendable () -> Promise<Void>
  let undo: @Sendable () -> Promise<Void>
}

extension Step {
  /// Changes something by a closure that no cancellation stops.
  static func change(
    _ name: String, _ make: @escaping @Sendable () throws -> Void, undo: @escaping @Sendable () throws -> Void = {}
  ) -> Step {
    Step(
      name: name,
      perform: {
        Promise(on: .pool) { done in
          try make()
          // A client that cancels meanwhile has settled the promise, so the installer does not undo this step.
          if !done.fulfill() { try undo() }
        }
      },
      undo: { Promise.run { try undo() } })
  }

  /// Runs a program, which a cancellation ends.
  ///
  /// - Parameter undo: the program that reverses the effect of the first one.
  static func program(_ command: [String], undo: [String], with system: System) -> Step {
    Step(name: command.joined(separator: " "), perform: { system.run(command) }, undo: { system.run(undo) })
  }

  /// Downloads a file into a folder that another step has made. The undo of that step removes the file, too.
  static func download(_ download: Download, to folder: String, with system: System) -> Step {
    Step(
      name: "download \(download.name)",
      perform: {
        // A lost connection and a damaged file may pass, so both are tried again.
        Promise.retry(attempts: 3) {
          system.fetch(download.address, "\(folder)/\(download.name)")
            .then { system.checksum("\(folder)/\(download.name)") }
            .map { found in if found != download.checksum { throw WrongChecksum(name: download.name) } }
        }
      },
      undo: { .fulfilled() })
  }
}

/// Steps, in order or beside each other.
enum Plan: Sendable {
  case step(Step)
  case inOrder([Plan])
  case together([Plan])
}
