import Foundation
import PromiseContexts

/// Runs handlers on dispatch queues, for the notice of rule 2.7. With the argument `global` it uses global queues,
/// which ignore barriers. Otherwise it uses contexts that need no notice.
@main
enum GlobalQueue {
  static func main() async throws {
    let own = DispatchQueue(label: "own", attributes: .concurrent)
    var contexts: [any ExecutionContext] = [
      own, .queue(own), .concurrent(.global()), .global(), .global(qos: .utility), .pool,
      DispatchQueue(label: "serial"),
    ]
    if CommandLine.arguments.dropFirst() == ["global"] {
      contexts = [DispatchQueue.global(qos: .utility), .queue(.global()), DispatchQueue.global()]
    }
    for context in contexts {
      let deferred = Deferred<Int>()
      let promises = (0..<100).map { number in deferred.promise.map(on: context) { $0 + number } }
      deferred.fulfill(1)
      for (number, promise) in promises.enumerated() {
        guard try await promise.value == number + 1 else { exit(1) }
      }
    }
    print("ran")
  }
}
