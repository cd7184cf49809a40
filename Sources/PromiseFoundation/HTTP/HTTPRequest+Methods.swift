extension HTTPRequest {
  /// Asks for something. See ``init(_:_:_:)``.
  public static func get(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.get, url, values) }

  /// As ``get(_:_:)``, without the body of the answer. See ``init(_:_:_:)``.
  public static func head(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.head, url, values) }

  /// Hands something over to be processed. See ``init(_:_:_:)``.
  public static func post(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.post, url, values) }

  /// Puts something in a place. See ``init(_:_:_:)``.
  public static func put(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.put, url, values) }

  /// Changes a part. See ``init(_:_:_:)``.
  public static func patch(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.patch, url, values) }

  /// Takes something away. See ``init(_:_:_:)``.
  public static func delete(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.delete, url, values) }
}
