import PromiseCombinators
import Synchronization

/// A server in memory, which loses the first transfer of every third piece.
final class DemoService: Sendable {
  private let attempts = Mutex<[Int: Int]>([:])

  var service: UploadService {
    UploadService(
      begin: { .fulfilled("upload-1") },
      send: { [self] _, chunk in
        let attempt = attempts.withLock { attempts in
          attempts[chunk.number, default: 0] += 1
          return attempts[chunk.number]
        }
        let isLost = chunk.number % 3 == 0 && attempt == 1
        return isLost ? .after(.milliseconds(5), reject: Interrupted()) : .after(.milliseconds(5), fulfill: ())
      },
      complete: { name in .fulfilled("https://example.com/\(name)") })
  }
}
