// http-cache
//
// Reads and writes documents on a server of its own, and prints how many requests that took. Start reading in `CachingClient.swift`.

import Foundation
import PromiseCombinators
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
