/// Sources of clients that are compiled to measure the cost of links for a program. Each function is public, because
/// the compiler would drop it otherwise.
enum Client {
  private static let imports = "import Dispatch\nimport PromiseContexts\n\n"

  /// Returns a source with functions of one `map(on:)` each. As nearly all handlers do, these capture something.
  static func singleLinks(_ functions: Int) -> String {
    imports
      + (0..<functions).map { number in
        """
        public func link\(number)(_ promise: Promise<Int>, on queue: DispatchQueue, adding step: Int) -> Promise<Int> {
          promise.map(on: queue) { $0 &+ step &* \(number + 3) }
        }

        """
      }.joined()
  }

  /// Returns the same with `queue.async`. A block receives no value and has no result, so it captures the value and a
  /// function.
  static func singleHops(_ functions: Int) -> String {
    "import Dispatch\n\n"
      + (0..<functions).map { number in
        """
        public func hop\(number)(
          _ value: Int, on queue: DispatchQueue, adding step: Int, end: @escaping @Sendable (Int) -> Void
        ) {
          queue.async { end(value &+ step &* \(number + 3)) }
        }

        """
      }.joined()
  }

  /// Returns a source with the given number of `map(on:)`, in chains of 8. Each chain is a function, and its handlers
  /// capture a parameter of the function.
  static func links(_ count: Int) -> String {
    imports
      + (0..<count / Chain.links).map { chain in
        let links = (0..<Chain.links).map { link in
          "    .map(on: queue) { $0 + step * \(Chain.links * chain + link) }\n"
        }.joined()
        return """
          public func chain\(chain)(_ promise: Promise<Int>, on queue: DispatchQueue, adding step: Int) -> Promise<Int> {
            promise
          \(links)}

          """
      }.joined()
  }

  /// Returns the same with nested `queue.async`. Each block computes the same value as the handler.
  static func hops(_ count: Int) -> String {
    "import Dispatch\n\n"
      + (0..<count / Chain.links).map { chain in
        let hops = (0..<Chain.links).map { hop in
          let indent = String(repeating: "  ", count: hop + 1)
          return "\(indent)queue.async {\n\(indent)  let value = value + step * \(Chain.links * chain + hop)\n"
        }.joined()
        let ends = (0..<Chain.links).reversed().map { String(repeating: "  ", count: $0 + 1) + "}\n" }.joined()
        return """
          public func chain\(chain)(
            _ value: Int, on queue: DispatchQueue, adding step: Int, end: @escaping @Sendable (Int) -> Void
          ) {
          \(hops)end(value)
          \(ends)}

          """
      }.joined()
  }
}
