// S2 measures by how many bytes a further link makes a client larger. It compiles clients with 1 and with 11 functions,
// and compares the sizes of code and unwinding tables in their object files, so that everything that a client needs
// once cancels out.

extension Gauge {
  static let s2 = Gauge(id: "S2", title: "bytes that one more map(on:) adds to a client, in a function of its own") {
    _ in
    guard let link = try bytes(of: Client.singleLinks), let hop = try bytes(of: Client.singleHops) else { return [] }
    return [
      Figure(name: "S2 bytes", value: link, goal: 280),
      Figure(name: "S2 bytes of queue.async", value: hop, subject: .gcd),
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

  /// Returns the size of code and unwinding tables, or `nil` if this system has no `size` that lists sections.
  private static func codeSize(of object: String) -> Int? {
    Command.output(of: ["size", "-A", object]).flatMap { codeSize(inSections: $0) }
  }

  /// Returns the bytes of code and of unwinding tables in the output of `size -A`, or `nil` if the output lists none. A
  /// line has the name of a section, its size and its address.
  static func codeSize(inSections text: String) -> Int? {
    let sizes = text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      let isCode = [".text", ".eh_frame"].contains { words.first?.hasPrefix($0) == true }
      return isCode && words.count == 3 ? Int(words[1]) : nil
    }
    return sizes.isEmpty ? nil : sizes.reduce(0, +)
  }
}
