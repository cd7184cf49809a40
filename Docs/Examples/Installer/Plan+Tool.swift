import Foundation

extension Plan {
  /// Downloads files beside each other, moves them into a folder, and runs the tool among them.
  static func tool(_ downloads: [Download], to folder: String, with system: System) -> Plan {
    // The name is unique, so no step removes a folder that the installer has not made.
    let staging = "\(folder)/staging-\(UUID().uuidString)"
    let moves = downloads.map { download in
      Step.change("install \(download.name)") {
        try FileManager.default.moveItem(atPath: "\(staging)/\(download.name)", toPath: "\(folder)/\(download.name)")
      } undo: {
        try FileManager.default.removeItem(atPath: "\(folder)/\(download.name)")
      }
    }
    let stage = Step.change("make the staging folder") {
      try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
    } undo: {
      try FileManager.default.removeItem(atPath: staging)
    }
    let tidy = Step.change("remove the staging folder") {
      try FileManager.default.removeItem(atPath: staging)
    } undo: {
      try FileManager.default.createDirectory(atPath: staging, withIntermediateDirectories: true)
    }
    return .inOrder(
      [.step(stage)]
        + [.together(downloads.map { .step(.download($0, to: staging, with: system)) })]
        + moves.map { .step($0) }
        + [.step(tidy)]
        + [.step(.program(["chmod", "+x", "\(folder)/tool"], undo: ["chmod", "-x", "\(folder)/tool"], with: system))]
        + [.step(.program(["\(folder)/tool"], undo: ["true"], with: system))])
  }
}
