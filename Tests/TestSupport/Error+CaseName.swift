extension Error {
  /// The type and the case of an error that is an enumeration, as in `HTTPError.status`. It is for cases with a value,
  /// and is `nil` for other errors.
  public var caseName: String? { Mirror(reflecting: self).children.first?.label.map { "\(Self.self).\($0)" } }
}
