// S2: the bytes by which one more link makes a client larger. Clients with 1 and with 11 functions are compiled, and their code and
// their unwinding tables are weighed in the object files, so that what is needed once in a client cancels out.

extension Gauge {
  static let s2 = Gauge(id: "S2", title: "bytes that one more map(on:) adds to a client, in a function of its own") {
    _ in
    guard let link = try bytes(of: Client.singleLinks), let hop = try bytes(of: Client.singleHops) else { return [] }
    return [
      Figure(name: "S2 bytes", value: link, goal: 250),
      Figure(name: "S2 bytes of queue.async", value: hop, goal: nil, subject: .gcd),
    ]
  }

  private static func bytes(of client: (Int) -> String) throws -> Int? {
    let sizes: [Int?] = try [1, 11].map { functions in
      try Compiler.withObject(of: client(functions), .release, flags: Compiler.keepingFunctionsApart) {
        codeSize(of: $0)
      }
    }
    guard let one = sizes[0], let eleven = sizes[1] else { return nil }
    return (eleven - one) / 10
  }

  /// Returns `nil` if this system has no `size` that lists sections.
  private static func codeSize(of object: String) -> Int? {
    Command.output(of: ["size", "-A", object]).flatMap { codeSize(inSections: $0) }
  }

  /// Returns the bytes of code and of unwinding tables by what `size -A` prints, or `nil` if it lists none. A line has the name of a
  /// section, its size and its address.
  static func codeSize(inSections text: String) -> Int? {
    let sizes = text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      let isCode = [".text", ".eh_frame"].contains { words.first?.hasPrefix($0) == true }
      return isCode && words.count == 3 ? Int(words[1]) : nil
    }
    return sizes.isEmpty ? nil : sizes.reduce(0, +)
  }
}
