// notes [--wrong-password] [--no-disk] [--leave]
//
// Logs in to a server, fetches the user's notes, parses them in the background, saves them to disk and shows them. If a
// step fails, the program shows the error. The server is a real one on this machine, and slow. Start reading in
// `Refresh.swift`.
//
// --wrong-password, --no-disk: a step fails. --leave: the user closes the screen while the notes are on their way.
//
// Exit codes: 0 the notes are shown, or the user has left; 1 something failed.

import Foundation
import PromiseHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let options = Set(CommandLine.arguments.dropFirst())
let leaves = options.contains("--leave")
let server = try NotesServer(stalls: leaves)
let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
let screen = Screen()
let refresh = Refresh(
  api: NotesAPI(address: server.address, session: URLSession(configuration: .ephemeral)),
  store: NotesStore(directory: options.contains("--no-disk") ? "/nowhere" : folder.path),
  screen: screen)

let shown = refresh.run(user: "Ada L.", password: options.contains("--wrong-password") ? "guess" : "secret")

shown.onProgress(on: .main) { progress in
  screen.show(progress: progress)
  // Continues when half of the notes have arrived.
  guard progress > 0.4 else { return }
  if leaves { shown.cancel(upstream: true) } else { server.sendTheRest() }
}

@MainActor
func end(status: Int32) -> Never {
  try? FileManager.default.removeItem(at: folder)
  exit(status)
}

shown.onSettled(on: .main) { result in
  guard shown.isCancelled else { end(status: (try? result.get()) == nil ? 1 : 0) }
  screen.close()
  // The cancellation has stopped the request. The server notices that the connection is closed.
  server.clientLeft.onFulfilled(on: .main) {
    print("server: the client has gone")
    end(status: 0)
  }
}

// The main thread now runs what is sent to `.main`.
dispatchMain()
