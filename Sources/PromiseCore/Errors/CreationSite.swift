/// Where in the source something was made.
public struct CreationSite: Sendable, Hashable, CustomStringConvertible {
  /// The module and file, as `#fileID` gives it.
  public let fileID: String
  /// The line, from 1. Lines above 65,535 are given as 65,535.
  public let line: Int

  @usableFromInline
  init(_ site: Site) {
    fileID = site.fileID
    line = site.line
  }

  /// `Module/File.swift:12`
  public var description: String { "\(fileID):\(line)" }
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
