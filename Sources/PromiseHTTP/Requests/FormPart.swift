public import Foundation

/// A part of a form that is sent as `multipart/form-data`. See ``HTTPRequest/multipart(_:)``.
public struct FormPart: Sendable {
  enum Content: Sendable {
    case data(Data)
    case file(URL)
  }

  let name: String
  let fileName: String?
  let type: String?
  let content: Content

  /// Returns a part with a value. The description of the value is sent, as for numbers, strings and UUIDs.
  public static func value(_ name: String, _ value: some CustomStringConvertible) -> FormPart {
    FormPart(name: name, fileName: nil, type: nil, content: .data(Data(value.description.utf8)))
  }

  /// Returns a part with bytes.
  ///
  /// - Parameters:
  ///   - name: the name of the part.
  ///   - data: the bytes.
  ///   - fileName: the name of a file. With it, servers treat the part as a file.
  ///   - type: the content type.
  public static func data(
    _ name: String, _ data: Data, fileName: String? = nil, type: String = "application/octet-stream"
  ) -> FormPart {
    FormPart(name: name, fileName: fileName, type: type, content: .data(data))
  }

  /// Returns a part with the contents of a file, which is read while it is sent. It must not change until the promise
  /// is settled.
  ///
  /// - Parameters:
  ///   - name: the name of the part.
  ///   - file: the file to read.
  ///   - fileName: the name of the file that the server gets. Without it, the last component of the path.
  ///   - type: the content type.
  public static func file(
    _ name: String, at file: URL, fileName: String? = nil, type: String = "application/octet-stream"
  ) -> FormPart {
    FormPart(name: name, fileName: fileName ?? file.lastPathComponent, type: type, content: .file(file))
  }
}

/// Parts with the text that separates them (RFC 7578).
struct MultipartForm: Sendable {
  let parts: [FormPart]
  let boundary: String

  /// - Parameter boundary: the text between the parts. The default is random, so that no part contains it.
  init(_ parts: [FormPart], boundary: String = "part-\(UUID().uuidString)") {
    self.parts = parts
    self.boundary = boundary
  }

  var type: String { "multipart/form-data; boundary=\(boundary)" }

  var hasFiles: Bool {
    parts.contains { if case .file = $0.content { true } else { false } }
  }

  /// Returns the body in pieces. Adjacent pieces of data are one piece.
  ///
  /// - Throws: ``HTTPRequestError/invalidHeader(name:)`` if a content type contains a control character.
  func pieces() throws(HTTPRequestError) -> [FormPart.Content] {
    var pieces: [FormPart.Content] = []
    var data = Data()
    for part in parts {
      data += Data("--\(boundary)\r\n\(try part.head())\r\n".utf8)
      switch part.content {
      case .data(let content): data += content
      case .file(let file):
        pieces += [.data(data), .file(file)]
        data = Data()
      }
      data += Data("\r\n".utf8)
    }
    return pieces + [.data(data + Data("--\(boundary)--\r\n".utf8))]
  }

  /// Returns the body. Reads the files.
  func data() throws -> Data {
    try pieces().reduce(into: Data()) { body, piece in
      switch piece {
      case .data(let data): body += data
      case .file(let file): body += try Data(contentsOf: file)
      }
    }
  }
}

extension FormPart {
  /// The headers of the part, each with its line break.
  fileprivate func head() throws(HTTPRequestError) -> String {
    var head = "Content-Disposition: form-data; name=\"\(name.escapedForForm)\""
    if let fileName { head += "; filename=\"\(fileName.escapedForForm)\"" }
    head += "\r\n"
    guard let type else { return head }
    guard type.isHeaderValue else { throw .invalidHeader(name: "Content-Type") }
    return head + "Content-Type: \(type)\r\n"
  }
}

extension String {
  /// The text between the quotes of a name, as browsers escape it (HTML standard, 4.10.21.8). It is UTF-8.
  fileprivate var escapedForForm: String {
    unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "\"": escaped += "%22"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
