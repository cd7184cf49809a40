extension HTTPRequest {
  /// Returns a request for the content of a resource. See ``init(_:_:_:)``.
  public static func get(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.get, url, values) }

  /// Returns a request for the response to ``get(_:_:)`` without its body. See ``init(_:_:_:)``.
  public static func head(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.head, url, values) }

  /// Returns a request that sends content for the resource to process. See ``init(_:_:_:)``.
  public static func post(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.post, url, values) }

  /// Returns a request that creates or replaces a resource. See ``init(_:_:_:)``.
  public static func put(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.put, url, values) }

  /// Returns a request that changes a part of a resource. See ``init(_:_:_:)``.
  public static func patch(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.patch, url, values) }

  /// Returns a request that removes a resource. See ``init(_:_:_:)``.
  public static func delete(_ url: String, _ values: Values = [:]) -> HTTPRequest { HTTPRequest(.delete, url, values) }
}
