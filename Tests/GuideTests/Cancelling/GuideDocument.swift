import Foundation

/// A document of Docs. Tests compare its tables with the behaviour of the library.
struct GuideDocument {
  struct NoTable: Error { let name: String }

  private let lines: [String]

  init(_ name: String) throws {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let text = try String(contentsOf: root.appending(path: "Docs/\(name).md"), encoding: .utf8)
    lines = text.split(separator: "\n").map(String.init)
  }

  /// Returns the cells of the table between `<!-- name -->` and `<!-- /name -->`, row by row, without the two lines of
  /// its head.
  func table(_ name: String) throws -> [[String]] {
    guard let start = lines.firstIndex(of: "<!-- \(name) -->"), let end = lines.firstIndex(of: "<!-- /\(name) -->")
    else {
      throw NoTable(name: name)
    }
    return lines[start..<end].filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
      line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The names of functions in the code spans of all tables, such as `any` in `Promise.any(pages)`.
  var namesInTables: Set<String> { Self.names(in: lines.filter { $0.hasPrefix("|") }) }

  /// Returns the names of functions in the code spans of the table between `<!-- name -->` and `<!-- /name -->`.
  func namesInTable(_ name: String) throws -> Set<String> { Self.names(in: try table(name).joined()) }

  /// The names of functions in the code spans outside code blocks.
  var namesInProse: Set<String> {
    // Every second part is a code block.
    let parts = lines.split(omittingEmptySubsequences: false) { $0.hasPrefix("```") }
    return Self.names(in: parts.enumerated().filter { $0.offset % 2 == 0 }.flatMap(\.element))
  }

  /// Returns the names of functions in the code spans of a rule of Semantics.
  func namesInRule(_ rule: String) -> Set<String> {
    guard let start = lines.firstIndex(where: { $0.hasPrefix("**\(rule)**") }) else { return [] }
    let rest = lines[(start + 1)...]
    return Self.names(in: lines[start...start] + rest.prefix { $0.firstMatch(of: /^(\*\*\d|#)/) == nil })
  }

  private static func names(in lines: some Sequence<String>) -> Set<String> {
    // A code span may go over the end of a line.
    Set(spans(of: lines.joined(separator: " ")).flatMap { $0.split { !$0.isLetter }.map(String.init) })
  }

  /// Returns the texts between backticks in a cell.
  static func spans(of cell: String) -> [String] {
    cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }
}
