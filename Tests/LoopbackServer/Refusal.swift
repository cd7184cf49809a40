/// Why there is no request to answer.
enum Refusal: Error {
  /// The client has closed its end, or the server was stopped.
  case gone
  /// What arrived is answered with this status, and the connection ends.
  case status(Int)

  static var malformed: Self { .status(400) }
}
