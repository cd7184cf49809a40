// http-cache [--record FILE]
//
// Reads and writes documents on a server of its own, and prints how many requests that takes. Start reading in
// `CachingClient.swift`.
//
// --record FILE records the promises of the program. FILE becomes a page for a browser if its name ends in .html,
// otherwise a trace for ui.perfetto.dev.

import Foundation
import PromiseCombinators
import PromiseHTTP
import RunRecording

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("http-cache: \(message)\n".utf8))
  exit(2)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.isEmpty || arguments.count == 2 && arguments[0] == "--record" else {
  fail("usage: http-cache [--record FILE]")
}
let recording: RunRecording?
do {
  recording = arguments.isEmpty ? nil : try RunRecording(to: arguments[1])
} catch {
  fail("\(error)")
}

let server = try DocumentServer()
let session = URLSession(configuration: .ephemeral)
let client = CachingClient(transport: Transport(address: server.address, session: session))

// Five readers share a request, and the login that it needs.
let readers = (1...5).map { _ in client.text(of: "engine") }
print("five readers:", Set(try await Promise.all(readers).value))
print("again:", try await client.text(of: "engine").value)
print("requests: \(server.count("GET")), logins: \(server.logins)")

// A write goes to the server, and the next reader gets the new text.
try await client.write("second plan", to: "engine").value
print("written:", try await client.text(of: "engine").value)
print("requests: \(server.count("GET")), writes: \(server.count("PUT"))")

// The session has ended. Three requests are refused. The client logs in once, and sends them again.
server.endSessions()
let writes = ["engine", "numbers", "notes"].map { client.write("third plan", to: $0) }
try await Promise.all(writes).asVoid().value
print("after the end of the session:", try await client.text(of: "notes").value)
print("logins: \(server.logins)")

do {
  try recording?.end(title: "Five readers, four writes and two logins")
} catch {
  fail("\(error)")
}
