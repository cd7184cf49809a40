public import Foundation
public import PromiseCore

/// The response of a server whose body arrives while it is read.
///
/// ```swift
/// let stream = try await session.stream(for: .get("https://example.com/log")).value
/// for try await line in stream.lines { print(line) }
/// ```
///
/// The body is an asynchronous sequence of chunks, of lines, of events or of decoded values. All of them read the same
/// body, so a program uses one of them. A chunk goes to one consumer. A sequence that is iterated again goes on where
/// the last iterator has stopped, and the rest of a line that was begun is lost.
///
/// - **Memory**: At most about 2 MiB of the body wait for the consumer. While it is slower than the server, the
///   session does not read, and the server has to wait. A line or an event has at most ``maximumElementSize`` bytes.
/// - **Failure**: If the transfer fails, a sequence throws the session's error after everything that had arrived
///   before. It throws ``TransferError/bodyTooLarge(limit:url:)`` if the request sets a
///   ``HTTPRequest/maximumBodySize(_:)`` and more bytes arrive. A body has no limit otherwise.
/// - **Cancelling** ``end`` cancels the request, and the sequence throws the reason. To cancel the Task of a consumer
///   that waits does the same with `CancellationError`.
/// - **A stream that is dropped** cancels the request. This happens when the stream, its sequences and their iterators
///   are released before the end of the body.
public struct HTTPStream: Sendable {
  /// The status and the headers. The body of this value is empty.
  public let response: HTTPResponse

  /// A promise that is fulfilled when a consumer has received the end of the body.
  ///
  /// - If the transfer fails, the promise is rejected with the error when a consumer has received that error. The
  ///   rejection then counts as handled.
  /// - Cancelling the promise cancels the request at once. So a stream can belong to a screen, with
  ///   `end.bound(to: screen)`.
  /// - Its progress is the share of the body that has arrived, if the server has sent the length.
  public let end: Promise<Void>

  private let reader: StreamReader

  /// The greatest number of bytes of a line, an event or a decoded line, which is 16 MiB. A sequence whose next element
  /// is larger throws ``TransferError/elementTooLarge(limit:url:)``, and cancels the request with that error.
  public static let maximumElementSize = 16 << 20

  init(_ response: HTTPResponse, body: BodyStream) {
    self.response = response
    end = body.end.promise
    reader = StreamReader(of: body)
  }

  /// The body in the pieces in which the session delivers it. No piece is empty.
  public var chunks: some AsyncSequence<Data, any Error> & Sendable {
    ParsedBody(reader: reader, parser: ChunkPassing())
  }

  /// The lines of the body, without their ends. A line ends with a line feed, a carriage return, both in this order, or
  /// the body. Bytes that are not UTF-8 are replaced by U+FFFD.
  public var lines: some AsyncSequence<String, any Error> & Sendable {
    ParsedBody(reader: reader, parser: LineParser(LineSplitter(endingAtReturns: true, from: response.url)))
  }

  /// The events of a body of type `text/event-stream`, as the HTML standard defines them. The content type is not
  /// checked. An event that the server has not completed is left out.
  ///
  /// To continue after a lost connection, send ``lastEventID`` in the header `Last-Event-ID` of the next request.
  public var events: some AsyncSequence<ServerSentEvent, any Error> & Sendable {
    ServerSentEvents(reader: reader, url: response.url)
  }

  /// The identifier with which a client of ``events`` can continue after a lost connection. `nil` if the server has not
  /// set one in the part that the client has used.
  ///
  /// ```swift
  /// let stream = try await session.stream(for: request).value(cancelsSource: true)
  /// defer { lastID = stream.lastEventID ?? lastID }
  /// for try await event in stream.events { await show(event.data) }
  /// ```
  ///
  /// An event counts when the client asks for the next one. So an event whose handling throws is sent again. Unlike
  /// ``ServerSentEvent/lastEventID`` of the last event, it includes the identifiers that the server sets without data
  /// behind that event. It is empty if the server has reset it. A block that is not complete does not count.
  public var lastEventID: String? { reader.lastEventID }

  /// Returns the values of a body that has one JSON text in each line (NDJSON, JSON Lines). Empty lines are left out.
  ///
  /// A line that cannot be decoded throws ``HTTPError/notDecodable(_:_:)``, whose response has the line as its body,
  /// and cancels the request with that error. The content type is not checked.
  ///
  /// - Parameters:
  ///   - type: the type of the decoded values.
  ///   - decoder: the decoder.
  public func decodedLines<Value: Decodable & Sendable & SendableMetatype>(
    as type: Value.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> some AsyncSequence<Value, any Error> & Sendable {
    ParsedBody(reader: reader, parser: LineDecoder<Value>(response, decoder))
  }
}

extension HTTPStream: CustomStringConvertible {
  /// One line with the status and the URL, which is shortened. See ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String { "status \(response.status) from \(shorteningURLs(in: response.urlText)), streamed" }
}
