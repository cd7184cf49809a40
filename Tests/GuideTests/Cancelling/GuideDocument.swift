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

  /// Returns the texts between backticks in a cell.
  static func spans(of cell: String) -> [String] {
    cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }
}
