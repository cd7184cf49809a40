/// A place in the source where a promise or a link was made.
public struct CreationSite: Sendable, CustomStringConvertible {
  let site: Site

  /// Creates the site of the calling line.
  public init(fileID: StaticString = #fileID, line: UInt = #line) { site = Site(fileID, line) }

  @usableFromInline init(_ site: Site) { self.site = site }

  /// The module and the file, in the form of `#fileID`.
  public var fileID: String { site.fileID }

  /// The line, from 1. Lines above 65,535 are given as 65,535.
  public var line: Int { site.line }

  /// The site in the form `Module/File.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}

extension CreationSite: Hashable {
  /// Returns whether both sites are the same line of the same file.
  ///
  /// Compares the text, because the name of one file may be at several addresses.
  public static func == (one: CreationSite, other: CreationSite) -> Bool {
    one.line == other.line && one.fileID == other.fileID
  }

  /// Hashes the file and the line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(fileID)
  }
}

/// A creation site in one word, as promises store it. The low 16 bits are the line, the others the address of the
/// `#fileID` literal, without its upper 16 bits, which are 0.
@usableFromInline
struct Site: Sendable {
  @usableFromInline let bits: UInt64

  @_alwaysEmitIntoClient
  init(_ fileID: StaticString, _ line: UInt) {
    // Safe, because only the address is taken here. A `#fileID` literal points to text that lives as long as the
    // program.
    let text = fileID.hasPointerRepresentation ? unsafe UInt64(UInt(bitPattern: fileID.utf8Start)) : 0
    bits = text << 16 | UInt64(min(line, 0xFFFF))
  }

  var line: Int { Int(bits & 0xFFFF) }

  var fileID: String {
    let address = UInt(bits >> 16)
    // Safe, because the text of a `StaticString` ends with a zero and is never freed.
    guard let text = unsafe UnsafePointer<CChar>(bitPattern: address) else { return "(unknown)" }
    return unsafe String(cString: text)
  }
}
