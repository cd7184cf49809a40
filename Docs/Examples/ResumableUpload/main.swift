// resumable-upload
//
// Uploads ten pieces to a server in memory, stops halfway, and uploads the rest. Start reading in `Upload.swift`.

import Foundation
import PromiseCombinators

let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).upload")
let server = DemoService()
let chunks = Chunk.chunks(of: 95, each: 10)
var rules = Upload.Rules()
rules.backoff = .exponential(first: .milliseconds(10))

// The first run is stopped when half of the file is sent.
let first = Upload(chunks, to: server.service, journal: try Journal(.init(file: file)), rules: rules).run()
first.onProgress { progress in if progress >= 0.5 { first.cancel(upstream: true) } }
do {
  print("unexpected address", try await first.value)
} catch {
  print("stopped:", first.isCancelled)
}
try await first.whenFinished().value

// The second run reads from the file what is left. It could be another process.
let journal = try Journal(.init(file: file))
let left = chunks.filter { !journal.contains($0) }
print("half of it is left:", (1...5).contains(left.count))
print("uploaded:", try await Upload(chunks, to: server.service, journal: journal, rules: rules).run().value)
print("the state is removed:", !FileManager.default.fileExists(atPath: file.path))
