/// An event of a body of type `text/event-stream`. See ``HTTPStream/events``.
public struct ServerSentEvent: Sendable, Hashable {
  /// The type of the event. It is `message` if the server gives none.
  public let type: String
  /// The data. The lines of several `data` fields are joined with line feeds.
  public let data: String
  /// The identifier that the server has set last, with this event or an earlier one. Empty if there is none, or if the
  /// server has reset it.
  public let lastEventID: String
  /// How long the server wants a client to wait before it connects again after the connection is lost. It is the last
  /// value that the server has sent before the end of this event, or `nil` if there is none.
  public let reconnectionTime: Duration?
}
