import Foundation

/// The public declarations of a module, as Docs/API lists them. `make check-api` checks that the list is complete.
public struct Listing {
  /// The modules with operations on promises. The others diagnose, wait or test.
  public static let modulesWithOperations = [
    "PromiseCore", "PromiseContexts", "PromiseCombinators", "PromiseGates", "PromiseFoundation", "PromiseHTTP",
    "PromiseProcesses",
  ]

  /// A line for each declaration.
  public let lines: [String]
  /// Functions such as `Promise.map(on:to:weight:_:)`, each as often as it has overloads. The labels `fileID` and
  /// `line` are left out. An argument that is bound to the main actor is written as `on main:`.
  public let functions: [String]
  public let types: Set<String>

  public init(_ module: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let url = folder.appending(path: "../../Docs/API/\(module).txt")
    lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    functions = lines.compactMap(Self.name)
    types = Set(functions.map { String($0.prefix { $0 != "." }) })
  }

  /// Returns the function that the line declares, or `nil` if the line declares no function.
  public static func name(of line: String) -> String? {
    let pattern =
      /^(?:\w+\.)??([\w.]+): (?:@\w+ |nonisolated\(nonsending\) |static |final |convenience |mutating )*(?:func (\S+?)|(init))(?:<.*?>)?\((.*)$/
    guard let match = line.firstMatch(of: pattern) else { return nil }
    let name = match.2.map { $0.replacing("`", with: "") } ?? "init"
    return "\(match.1.split(separator: ".").last ?? "").\(name)(\(labels(in: match.4)))"
  }

  /// Returns the labels of the parameters at the start of the text, up to the closing bracket.
  private static func labels(in text: Substring) -> String {
    var depth = 0
    var part = ""
    var parts: [String] = []
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
      // This also covers `on(_ context: MainContext)`.
      return part.contains(": MainContext") ? "\(label) main:" : "\(label):"
    }.joined()
  }
}
