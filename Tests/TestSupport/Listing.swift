import Foundation

/// The public declarations of a module, as Docs/API lists them (`make check-api` says that it lists all).
public struct Listing {
  /// A line for each declaration.
  public let lines: [String]
  /// `Promise.map(on:to:weight:_:)`, as often as there are overloads: without what says where the call is, with `on main:` for what
  /// is bound to the main actor.
  public let functions: [String]
  public let types: Set<String>

  public init(_ module: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let url = folder.appending(path: "../../Docs/API/\(module).txt")
    lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    functions = lines.compactMap(Self.name)
    types = Set(functions.map { String($0.prefix { $0 != "." }) })
  }

  /// `nil`: the line is of no function.
  public static func name(of line: String) -> String? {
    let pattern =
      /^(?:\w+\.)??([\w.]+): (?:@\w+ |nonisolated\(nonsending\) |static |final |convenience |mutating )*(?:func (\S+?)|(init))(?:<.*?>)?\((.*)$/
    guard let match = line.firstMatch(of: pattern) else { return nil }
    let name = match.2.map { $0.replacing("`", with: "") } ?? "init"
    return "\(match.1.split(separator: ".").last ?? "").\(name)(\(labels(in: match.4)))"
  }

  /// The labels of the parameters with which the text begins, up to the bracket that closes them.
  private static func labels(in text: Substring) -> String {
    var (depth, part, parts) = (0, "", [String]())
    loop: for character in text.replacing("->", with: "~") {
      switch character {
      case "(", "<", "[", "{": depth += 1
      case ")" where depth == 0: break loop
      case ")", ">", "]", "}": depth -= 1
      case "," where depth == 0:
        parts.append(part)
        part = ""
        continue
      default: break
      }
      part.append(character)
    }
    if !part.isEmpty { parts.append(part) }
    return parts.compactMap { part in
      let label = part.trimmingPrefix(" ").prefix { $0 != " " && $0 != ":" }
      if label == "fileID" || label == "line" { return nil }
      // `on(_ context: MainContext)`, too.
      return part.contains(": MainContext") ? "\(label) main:" : "\(label):"
    }.joined()
  }
}
