import Foundation
import PromiseCombinators
import TestSupport
import Testing

@testable import resumable_upload

@Suite("The example ResumableUpload") struct ResumableUploadTests {
  @Test("It sends three pieces at a time, and removes the journal at the end")
  func threeAtATime() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let address = try server.upload(of: 5).run()
      world.runUntilIdle()
      #expect(server.pending == [0, 1, 2])
      server.receive(1)
      world.runUntilIdle()
      #expect(server.pending == [0, 2, 3])
      #expect(server.lines == ["film", "1"])
      for chunk in [0, 2, 3] { server.receive(chunk) }
      world.runUntilIdle()
      server.receive(4)
      try #expect(world.run(until: address) == "address of film")
      #expect(server.lines.isEmpty)
      #expect(server.calls.entries.last == "complete")
    }
  }

  @Test("A piece that is lost is sent again after pauses that grow, and keeps no other piece waiting")
  func backoff() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let address = try server.upload(of: 4).run()
      world.runUntilIdle()
      for (attempts, pause) in [(1, 1), (2, 2), (3, 4)] {
        server.transfer(of: 0).reject(Interrupted())
        world.runUntilIdle()
        if attempts == 1 {
          #expect(server.pending == [1, 2, 3])
          server.receive(3)
        }
        world.advance(by: .milliseconds(1_000 * pause - 1))
        #expect(server.calls.entries.count { $0 == "film 0" } == attempts)
        world.advance(by: .milliseconds(1))
        #expect(server.calls.entries.count { $0 == "film 0" } == attempts + 1)
      }
      for chunk in 0...2 { server.receive(chunk) }
      try #expect(world.run(until: address) == "address of film")
    }
  }

  @Test("A transfer that takes too long is stopped, and the piece is sent again")
  func timeLimit() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let address = try server.upload(of: 1).run()
      world.runUntilIdle()
      let first = server.transfer(of: 0)
      world.advance(by: .seconds(30))
      #expect(first.promise.isCancelled)
      world.advance(by: .seconds(1))
      server.receive(0)
      try #expect(world.run(until: address) == "address of film")
    }
  }

  @Test("After a refusal all transfers are stopped, and the journal keeps what was sent", .rule("4.8"))
  func refusal() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let address = try server.upload(of: 4).run()
      world.runUntilIdle()
      server.receive(2)
      world.runUntilIdle()
      server.transfer(of: 1).reject(Refused())
      #expect(throws: Refused.self) { try world.run(until: address) }
      #expect(server.pending.isEmpty)
      #expect(server.calls.entries.count { $0 == "film 1" } == 1)
      #expect(server.lines == ["film", "2"])
    }
  }

  @Test("If the journal cannot be written, no piece is sent again")
  func unwritableJournal() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let address = try server.upload(of: 3).run()
      world.runUntilIdle()
      server.loseJournal()
      server.receive(1)
      #expect(throws: DiskFull.self) { try world.run(until: address) }
      #expect(server.pending.isEmpty)
      #expect(server.calls.entries == ["begin", "film 0", "film 1", "film 2"])
    }
  }

  @Test("During a pause no piece begins, and the pieces that are being sent go on")
  func pause() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let upload = try server.upload(of: 4)
      let address = upload.run()
      world.runUntilIdle()
      upload.pause()
      let quiet = upload.whenQuiet()
      server.receive(0)
      server.transfer(of: 1).reject(Interrupted())
      world.advance(by: .seconds(10))
      #expect(server.pending == [2])
      #expect(quiet.isPending)
      server.receive(2)
      world.runUntilIdle()
      #expect(quiet.isFulfilled)
      upload.resume()
      world.runUntilIdle()
      #expect(Set(server.pending) == [1, 3])
      server.receive(1)
      server.receive(3)
      try #expect(world.run(until: address) == "address of film")
    }
  }

  @Test("Whenever the client cancels, all transfers stop, and the next run sends exactly what is left", .rule("2.10"))
  func cancellation() throws {
    try TestWorld.explore(schedules: 300, seed: 5) { world in
      let server = UploadServer(endsTransfers: true)
      let first = try server.upload(of: 5).run()
      world.sometime("the client cancels") { first.cancel(upstream: true) }
      world.runUntilIdle()
      world.expect(server.pending.isEmpty, "all transfers have stopped")
      guard first.isCancelled else { return }
      let received = server.received.entries
      let isComplete = server.calls.entries.contains("complete")
      let sent = server.lines.dropFirst().compactMap { Int($0) }
      world.expect(isComplete || Set(sent) == Set(received), "\(sent), \(received)")
      let calls = server.calls.entries.count
      let address = try world.run(until: server.upload(of: 5).run())
      world.expect(address == "address of film")
      let sentAgain = server.calls.entries.dropFirst(calls).filter { $0.hasPrefix("film") }
      world.expect(isComplete || sentAgain.count == 5 - received.count, "\(sentAgain), \(received)")
    }
  }

  @Test("The progress counts all pieces, even those of an earlier run", .rule("5.4"))
  func progress() throws {
    try TestWorld.run { world in
      let server = UploadServer()
      let address = try server.upload(of: 4, lines: "film\n0\n2\n").run()
      world.runUntilIdle()
      #expect(abs(address.progress - 0.5) < 0.02)
      server.transfer(of: 1).report(progress: 0.5)
      world.runUntilIdle()
      #expect(abs(address.progress - 0.625) < 0.02)
      server.receive(1)
      server.receive(3)
      _ = try world.run(until: address)
      #expect(!server.calls.entries.contains("begin"))
    }
  }

  @Test("A line that an interruption has cut off does not count")
  func cutLine() throws {
    let server = UploadServer()
    let journal = try server.journal("film\n0\n1")
    let chunks = Chunk.chunks(of: 30, each: 10)
    #expect(journal.name == "film")
    #expect(chunks.map(journal.contains) == [true, false, false])
    try journal.add(chunks[2])
    #expect(server.lines == ["film", "0", "2"])
  }

  @Test("The journal is a file, which is removed with the upload")
  func file() throws {
    let file = try makeFolder().appending(path: "journal")
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let chunk = Chunk(number: 7, bytes: 0..<1)
    let journal = try Journal(.init(file: file))
    try journal.begin("film")
    try journal.add(chunk)
    let again = try Journal(.init(file: file))
    #expect(again.name == "film")
    #expect(again.contains(chunk))
    try again.remove()
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
