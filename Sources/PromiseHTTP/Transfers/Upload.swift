import Foundation

/// The body of a request that is sent as an upload.
enum Upload: Sendable {
  case data(Data)
  /// A file that is written before the request is started.
  case chunks(@Sendable () async throws -> TemporaryFile)
  #if canImport(ObjectiveC)
    case file(URL)
    /// Data and files that are sent as one body.
    case pieces([FormPart.Content])
  #else
    /// So many bytes from the beginning of a file.
    case file(URL, count: Int)
    /// Data and files that are sent as one body.
    case pieces([Upload])
  #endif

  /// Creates the body of an upload from data and files. The files are read while they are sent.
  ///
  /// - Throws: `CocoaError` if a file cannot be read.
  init(joining pieces: [FormPart.Content]) throws {
    #if canImport(ObjectiveC)
      for case .file(let file) in pieces { _ = try Upload(contentsOf: file) }
      self = .pieces(pieces)
    #else
      self = .pieces(
        try pieces.map { piece in
          switch piece {
          case .data(let data): .data(data)
          case .file(let file): try Upload(contentsOf: file)
          }
        })
    #endif
  }

  /// Creates the body of an upload from a file. The file is read while it is sent.
  ///
  /// - Throws: `CocoaError` if the file cannot be read. Sessions treat such a file differently on different systems,
  ///   and not all of them report an error.
  init(contentsOf file: URL) throws {
    // Attributes of a link are those of the link itself.
    let path = file.resolvingSymlinksInPath().path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    // Opening a named pipe would block the calling thread. If the file is a folder, a session may wait for its content
    // until the request times out.
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      let reason = "Only a regular file can be uploaded."
      throw CocoaError(
        .fileReadUnknown, userInfo: [NSFilePathErrorKey: file.path, NSLocalizedFailureReasonErrorKey: reason])
    }
    let isReadable = FileManager.default.isReadableFile(atPath: path)
    #if canImport(ObjectiveC)
      guard isReadable else { throw CocoaError(.fileReadNoPermission, userInfo: [NSFilePathErrorKey: file.path]) }
      self = .file(file)
    #else
      if isReadable, let count = (attributes[.size] as? NSNumber)?.intValue, count > 0 {
        self = .file(file, count: count)
      } else {
        // The system does not know the size of a file in /proc. For a file that cannot be read, this throws the error.
        self = .data(try Data(contentsOf: file))
      }
    #endif
  }
}

#if !canImport(ObjectiveC)
  extension Upload {
    /// The number of bytes. Zero before the file is written.
    var count: Int {
      switch self {
      case .data(let data): data.count
      case .file(_, let count): count
      case .pieces(let pieces): pieces.reduce(0) { $0 + $1.count }
      case .chunks: 0
      }
    }

    /// Whether this is not part of a `URLRequest`.
    var isSeparate: Bool {
      switch self {
      case .data: false
      case .file, .pieces, .chunks: true
      }
    }
  }
#endif
