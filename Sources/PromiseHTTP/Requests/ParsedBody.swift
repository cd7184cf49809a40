import Foundation
import PromiseCore

/// Reads a streamed body, and cancels its request when it is deallocated before the end.
final class StreamReader: @unchecked Sendable {
  // `@unchecked Sendable`, because the variable is accessed only under the lock.
  private let body: BodyStream
  /// Cancels the promise for the end. It is a bag, because no hook of a client may run in a `deinit`.
  private let bag = CancelBag()
  private let lock = ShortLock()
  private var storedID: String?

  init(of body: BodyStream) {
    self.body = body
    body.end.promise.bound(to: bag)
  }

  func next() async throws -> Data? { try await body.next() }

  /// The identifier that the server has set last, in the events that the consumer has used.
  var lastEventID: String? {
    get { lock.locked { storedID } }
    set { lock.locked { storedID = newValue } }
  }

  /// Cancels the request because of an error in the body.
  func stop(because error: any Error) { body.end.promise.cancel(reason: error) }
}

/// Makes elements from the chunks of a body, whose borders have no meaning.
protocol ChunkParser<Element>: Sendable {
  associatedtype Element: Sendable

  /// Appends the elements that a chunk completes.
  mutating func parse(_ chunk: Data, into elements: inout [Element]) throws
  /// Appends what is complete at the end of the body.
  mutating func finish(into elements: inout [Element]) throws
}

struct ChunkPassing: ChunkParser {
  func parse(_ chunk: Data, into elements: inout [Data]) { elements.append(chunk) }
  func finish(into elements: inout [Data]) {}
}

/// The sequence of the elements that a parser makes from a streamed body.
struct ParsedBody<Parser: ChunkParser>: AsyncSequence, Sendable {
  let reader: StreamReader
  let parser: Parser

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader, parser: parser) }

  struct AsyncIterator: AsyncIteratorProtocol {
    let reader: StreamReader
    var parser: Parser
    /// Elements that were parsed, of which those before `first` were returned.
    private var elements: [Parser.Element] = []
    private var first = 0
    private var isAtEnd = false
    /// The error of the parser. It follows the elements that were complete before it.
    private var failure: (any Error)?

    init(reader: StreamReader, parser: Parser) {
      self.reader = reader
      self.parser = parser
    }

    mutating func next() async throws -> Parser.Element? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Parser.Element? {
      while first == elements.count {
        if let failure { throw failure }
        if isAtEnd { return nil }
        elements = []
        first = 0
        let chunk = try await reader.next()
        isAtEnd = chunk == nil
        do {
          if let chunk { try parser.parse(chunk, into: &elements) } else { try parser.finish(into: &elements) }
        } catch {
          failure = error
          reader.stop(because: error)
        }
      }
      defer { first += 1 }
      return elements[first]
    }
  }
}
