// The snippets of Docs/Guides/LanguageModes.md that compile with default isolation.
// modes: main-actor
import Foundation
import PromiseContexts

nonisolated struct Profile: Decodable, Equatable {
  var name: String
}

nonisolated func parse(_ data: Data) throws -> Profile { try JSONDecoder().decode(Profile.self, from: data) }

final class ProfileScreen {
  var title = ""

  func show(_ data: Promise<Data>) {
    data
      .map { try parse($0) }  // on the pool
      .tap(on: .main) { self.title = $0.name }  // on the main actor
      .catchFailure(on: .main) { self.title = "\($0)" }  // on the main actor
  }
}

nonisolated final class Vendor: Sendable {
  func read(completion: @escaping (Double?, (any Error)?) -> Void) { completion(20, nil) }
}

final class Cabin {
  var title = ""
  let vendor = Vendor()

  func greet(_ profile: Promise<Profile>) {
    profile.on(.main)
      .map { "\(self.title), \($0.name)" }
      .tap { self.title = $0 }
  }

  func digest(_ data: Data) -> Promise<Int> {
    Promise.task { @concurrent in data.reduce(0) { ($0 &* 31) &+ Int($1) } }
  }

  func save(_ profile: Profile) async throws -> Int { title.count + profile.name.count }

  func saved(_ profile: Promise<Profile>) -> Promise<Int> {
    profile.asyncMap { try await self.save($0) }
  }

  func temperature() -> Promise<Double> {
    Promise { deferred in
      vendor.read { @Sendable celsius, error in deferred.resolve(celsius.map { $0 * 1.8 + 32 }, error) }
    }
  }

  func closeCamera() {}

  func photo() -> Promise<Data> {
    let photo = Deferred<Data>()
    photo.onCancel(on: .main) { [weak self] _ in self?.closeCamera() }
    return photo.promise
  }
}

// The guide says that these declarations need no keyword.
enum Failure: Error { case empty }

final class Loop: ExecutionContext {
  func schedule(_ job: consuming Job) { job.reject(Failure.empty) }
}

func recovered(_ text: Promise<String>) -> Promise<String> {
  text.validate { !$0.isEmpty }.recover(from: Failure.self) { _ in "nothing" }.map { text in
    if text.isEmpty { throw Failure.empty }
    return text
  }
}
