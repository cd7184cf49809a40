// The snippets of Docs/Guides/LanguageModes.md that the compiler refuses with default isolation.
// modes: main-actor
import Foundation
import PromiseContexts

struct Draft: Decodable {
  var text: String
}

func parseDraft(_ data: Data) throws -> Draft { try JSONDecoder().decode(Draft.self, from: data) }

final class Screen {
  var title = ""

  // expect: main actor-isolated property 'title' can not be mutated from a Sendable closure
  func show(_ text: Promise<String>) { text.tap { self.title = $0 } }
}

// expect: call to main actor-isolated global function 'parseDraft' in a synchronous nonisolated context
func parsed(_ data: Promise<Data>) -> Promise<Draft> { data.map { try parseDraft($0) } }

// expect: main actor-isolated conformance of 'Draft' to 'Decodable' cannot be used in nonisolated context
func decoded(_ data: Promise<Data>) -> Promise<Draft> { data.map { try JSONDecoder().decode(Draft.self, from: $0) } }

// expect: converting function value of type '@MainActor @Sendable (Data) throws -> Draft' to '@Sendable (Data) throws -> Draft' loses global actor 'MainActor'
func drafted(_ data: Promise<Data>) -> Promise<Draft> { data.map(parseDraft) }
