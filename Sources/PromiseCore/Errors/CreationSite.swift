/// Where in the source something was made.
public struct CreationSite: Sendable, CustomStringConvertible {
  let site: Site

  /// The place where this is called.
  public init(fileID: StaticString = #fileID, line: UInt = #line) { site = Site(fileID, line) }

  @usableFromInline init(_ site: Site) { self.site = site }

  /// The module and file, as `#fileID` gives it.
  public var fileID: String { site.fileID }

  /// The line, from 1. Lines above 65,535 are given as 65,535.
  public var line: Int { site.line }

  /// `Module/File.swift:12`
  public var description: String { "\(fileID):\(line)" }
}

extension CreationSite: Hashable {
  // By text: the name of one file may be at several addresses.
  /// Whether it is the same line of the same file.
  public static func == (one: CreationSite, other: CreationSite) -> Bool {
    one.line == other.line && one.fileID == other.fileID
  }

  /// Of the file and the line.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(fileID)
  }
}

/// A creation site in one word, as promises store it: the address of the literal below bit 48, the line above.
@usableFromInline
struct Site: Sendable {
  @usableFromInline let bits: UInt64

  @inlinable
  init(_ fileID: StaticString, _ line: UInt) {
    // Safe: only the address is taken here; a `#fileID` literal is a pointer to text that lives as long as the program.
    let text = fileID.hasPointerRepresentation ? unsafe UInt64(UInt(bitPattern: fileID.utf8Start)) : 0
    bits = text & 0x0000_FFFF_FFFF_FFFF | UInt64(min(line, 0xFFFF)) << 48
  }

  var line: Int { Int(bits >> 48) }

  var fileID: String {
    let address = UInt(bits & 0x0000_FFFF_FFFF_FFFF)
    // Safe: the text of a `StaticString` ends with a zero and is never freed.
    guard let text = unsafe UnsafePointer<CChar>(bitPattern: address) else { return "(unknown)" }
    return unsafe String(cString: text)
  }
}
