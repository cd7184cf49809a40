#if canImport(FoundationNetworking)
  import Foundation

  /// The body of an upload, as a stream that a session reads. A file is read piece by piece.
  ///
  /// The stream has exactly as many bytes as the upload. It fails if the file has become shorter, because the server
  /// would wait for the missing bytes. It leaves out what was added to the file, because the server would take that for
  /// the next request.
  ///
  /// A session reads a stream on one thread at a time.
  final class UploadStream: InputStream {
    private let upload: Upload?
    private var file: FileHandle?
    private var position = 0
    /// The pieces that were not read to their end.
    private var pieces: [UploadStream]

    /// - Parameter upload: the body. `nil` for a stream that fails when it is read.
    init(_ upload: Upload?) {
      self.upload = upload
      if case .pieces(let pieces)? = upload { self.pieces = pieces.map { UploadStream($0) } } else { pieces = [] }
      super.init(data: Data())
    }

    // The file is opened when it is read, because a request may wait for a connection for a long time.
    override func open() {}

    override func close() {
      file = nil
      for piece in pieces { piece.close() }
    }

    override var hasBytesAvailable: Bool { upload.map { position < $0.count } ?? true }

    /// - Returns: the number of bytes that were read, 0 at the end, or -1 after a failure.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
      guard let upload else { return -1 }
      let wanted = min(maxLength, upload.count - position)
      guard wanted > 0 else { return 0 }
      let read: Int
      switch upload {
      case .data(let data):
        let start = data.index(data.startIndex, offsetBy: position)
        // Safe, because the caller's buffer has room for `maxLength` bytes.
        unsafe data.copyBytes(to: buffer, from: start..<start + wanted)
        read = wanted
      case .file(let url, let count):
        if file == nil { file = try? FileHandle(forReadingFrom: url) }
        guard let part = try? file?.read(upToCount: wanted), !part.isEmpty else { return -1 }
        if position + part.count == count { file = nil }
        // Safe, because the part has at most `wanted` bytes.
        unsafe part.copyBytes(to: buffer, count: part.count)
        read = part.count
      case .pieces:
        while let piece = pieces.first, !piece.hasBytesAvailable { pieces.removeFirst() }
        // Safe, because the piece writes at most `wanted` bytes.
        guard let piece = pieces.first, case let count = unsafe piece.read(buffer, maxLength: wanted), count > 0 else {
          return -1
        }
        read = count
      case .chunks: return -1  // A file by now.
      }
      position += read
      return read
    }
  }
#endif
