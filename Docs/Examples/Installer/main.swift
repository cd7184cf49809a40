// installer <folder> [--broken-tool]
//
// Downloads a tool and its manual from a server of its own, installs both into a folder, and runs the tool. With
// --broken-tool the tool fails, and everything is undone. Ctrl-C also undoes everything. Start reading in
// `Installer.swift`.
//
// Exit codes: 0 installed, 1 failed and undone, 2 wrong arguments, 130 stopped by Ctrl-C and undone.

import Foundation
import LoopbackServer
import PromiseProcesses

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
guard let folder = arguments.first, arguments.count == 1 || arguments == [folder, "--broken-tool"] else {
  FileHandle.standardError.write(Data("usage: installer <folder> [--broken-tool]\n".utf8))
  exit(2)
}

let tool = arguments.count == 1 ? "#!/bin/sh\necho the tool works\n" : "#!/bin/sh\nexit 1\n"
let toolChecksum =
  arguments.count == 1
  ? "55c517d0999223399f4a0f74c3b9ed7df1f70807d4a73773e593c1d8b75f5b88"
  : "275239824e00e61b0a220e61a41791c7e9b4bd726f8b0c27077a338f8131c9dc"
let server = try LoopbackServer { request in .text(request.path == "/tool" ? tool : "How to use the tool.\n") }
let downloads = [
  Download(name: "tool", address: "\(server.address)/tool", checksum: toolChecksum),
  Download(
    name: "manual", address: "\(server.address)/manual",
    checksum: "2b4ef4572f4e6beb1d94e4ce642831c7cdf60f7ce0fe1f80890ecb8b2b82b165"),
]

let system = System(session: URLSession(configuration: .ephemeral))
let installer = Installer { step, error in print("could not undo \(step.name): \(error)") }

// Made before the work begins, so that no Ctrl-C ends the program without the undo.
let interrupt = Promise.signal(SIGINT)
let installing = installer.install(.tool(downloads, to: folder, with: system))
interrupt.onFulfilled { _ in installing.cancel() }

do {
  try await installing.value(cancelsSource: true)
  print("installed")
} catch {
  print(installing.isCancelled ? "stopped" : "failed: \(error)")
  let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  print("left in the folder:", files.sorted())
  exit(installing.isCancelled ? 130 : 1)
}
