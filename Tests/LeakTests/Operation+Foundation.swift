import Foundation
import LoopbackServer
import PromiseFoundation
import PromiseHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Operation {
  /// Requests, each with a link that has captured a tracked object, and operations with `Progress`.
  static let foundation: [Operation] = [
    request("URLSession.promise(for:maximumBodySize:)") { session, url in
      session.promise(for: url).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:maximumBodySize:)") { session, url in
      session.promise(for: URLRequest(url: url)).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:)") { session, url in
      session.promise(for: .get(url.absoluteString)).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:downloadingTo:maximumBodySize:)") { session, url in
      session.promise(for: URLRequest(url: url), downloadingTo: temporaryFile()).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:downloadingTo:)") { session, url in
      session.promise(for: .get(url.absoluteString), downloadingTo: temporaryFile()).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:downloadingTo:continuing:)") { session, url in
      let file = temporaryFile()
      return session.promise(for: .get(url.absoluteString), downloadingTo: file, continuing: DownloadPart(beside: file))
        .map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:uploading:maximumBodySize:)") { session, url in
      session.promise(for: URLRequest(url: url), uploading: Data("data".utf8)).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:uploadingFile:maximumBodySize:)") { session, url in
      session.promise(for: URLRequest(url: url), uploadingFile: URL(filePath: #filePath)).map(on: .pool) { _ in 1 }
    },
    request("URLSession.promise(for:decoding:decoder:)") { session, url in
      session.promise(for: .get(url.absoluteString), decoding: Int.self).map(on: .pool) { Parcel($0) }
    },
    request("URLSession.promise(for:decodingIfPresent:decoder:)") { session, url in
      session.promise(for: .get(url.absoluteString), decodingIfPresent: Int.self).map(on: .pool) { Parcel($0 ?? 0) }
    },
    request("URLSession.stream(for:)") { session, url in
      session.stream(for: .get(url.absoluteString)).map(on: .pool) { _ in 1 }
    },
    request("HTTPStream.decodedLines(as:decoder:)") { session, url in
      session.stream(for: .get(url.absoluteString)).asyncMap { stream in
        try await stream.decodedLines(as: Int.self).reduce(into: Parcel(0)) { $0 = Parcel($1) }
      }
    },
    Operation("Progress.following(_:on:totalUnitCount:)") { scene in
      let result = scene.source.always(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
      scene.keep(Foundation.Progress.following(result, on: scene.context))
      return result
    },
    Operation("Deferred.report(progress:)") { scene in
      let progress = Foundation.Progress(totalUnitCount: 2)
      progress.completedUnitCount = 1
      scene.source.onProgress(on: scene.context) { [tracked = scene.capture()] _ in tracked.carrying(()) }
      scene.deferred?.report(progress: progress)
      scene.keep(progress)
      return scene.source
    },
  ]

  private static func request(
    _ name: String, _ send: @escaping @Sendable (URLSession, URL) -> Promise<Parcel>
  ) -> Operation {
    Operation(name) { scene in
      let server = try LoopbackServer { _ in .text("1") }
      let session = URLSession(configuration: .ephemeral)
      guard let url = URL(string: server.address + "/") else { preconditionFailure("no URL") }
      scene.keep(ServerAndSession(server, session))
      let answer = send(session, url).map(on: .pool) { [tracked = scene.capture()] value in
        tracked.carrying(Parcel(value.number, Tracked(scene.payloads)))
      }
      return answer.always(on: .pool) { [tracked = scene.capture()] _ in tracked.carrying(()) }
    }
  }

  private static func temporaryFile() -> URL {
    FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  }
}

/// A server and a session, which stop when this object is deallocated.
private final class ServerAndSession: Sendable {
  private let server: LoopbackServer
  private let session: URLSession

  init(_ server: LoopbackServer, _ session: URLSession) { (self.server, self.session) = (server, session) }

  deinit {
    session.finishTasksAndInvalidate()
    server.stop()
  }
}
