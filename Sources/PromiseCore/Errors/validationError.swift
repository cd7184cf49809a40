/// The message that was passed to `validate`, kept until a value is refused.
@usableFromInline
struct ValidationMessage: Error {
  let text: String

  @usableFromInline init(_ text: String) { self.text = text }
}

/// Returns the error for a value that a predicate has refused.
///
/// - Parameters:
///   - reason: the client's own error, or a ``ValidationMessage``.
///   - site: where the predicate was given.
@usableFromInline
func validationError(for value: Any, because reason: (any Error)?, at site: Site) -> any Error {
  if let reason, !(reason is ValidationMessage) { return reason }
  let message = (reason as? ValidationMessage)?.text
  return PromiseError.validationFailed(value: oneLine(value), message: message, createdAt: CreationSite(site))
}
