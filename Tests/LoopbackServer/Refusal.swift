/// The reason why a connection has no request to answer.
enum Refusal: Error {
  /// The client has closed its end, or the server was stopped.
  case gone
  /// The server answers with this status, and the connection ends.
  case status(Int)

  static var malformed: Self { .status(400) }
}
