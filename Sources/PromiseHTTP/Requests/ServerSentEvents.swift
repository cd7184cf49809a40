import Foundation

/// The sequence of the events of a streamed body.
struct ServerSentEvents: AsyncSequence, Sendable {
  let reader: StreamReader
  let url: URL?

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader, url: url) }

  struct AsyncIterator: AsyncIteratorProtocol {
    private let reader: StreamReader
    private var blocks: ParsedBody<ServerSentEventParser>.AsyncIterator
    /// The identifier of the event that the consumer handles.
    private var handledID: String?

    init(reader: StreamReader, url: URL?) {
      self.reader = reader
      blocks = ParsedBody(reader: reader, parser: ServerSentEventParser(from: url)).makeAsyncIterator()
    }

    mutating func next() async throws -> ServerSentEvent? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
      // The consumer has handled the event before it asks for the next one.
      if let id = handledID.take() { reader.lastEventID = id }
      while let block = try await blocks.next(isolation: actor) {
        if let event = block.event {
          handledID = block.lastEventID
          return event
        }
        if let id = block.lastEventID { reader.lastEventID = id }
      }
      return nil
    }
  }
}
