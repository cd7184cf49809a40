import PromiseHTTP
import Testing

@Suite("Targets of downloads", .bounded) struct DownloadTargetTests {
  /// A kind of file that is not a regular file.
  enum Node: String, CaseIterable, Sendable {
    case directory = "a directory"
    case linkToFile = "a symbolic link"
    case danglingLink = "a dangling symbolic link"
    case pipe = "a named pipe or another special file"
    case socket = "a socket"
    case device = "a character device"

    /// Creates such a file.
    ///
    /// - Returns: `false` if this process is not allowed to create it.
    func make(at url: URL) throws -> Bool {
      let manager = FileManager.default
      switch self {
      case .directory:
        try manager.createDirectory(at: url, withIntermediateDirectories: false)
        try Data([1]).write(to: url.appendingPathComponent("inside"))
      case .linkToFile:
        let other = url.deletingLastPathComponent().appendingPathComponent("linked")
        try Data([1, 2, 3]).write(to: other)
        try manager.createSymbolicLink(at: url, withDestinationURL: other)
      case .danglingLink: try manager.createSymbolicLink(atPath: url.path, withDestinationPath: "nowhere")
      case .pipe: return unsafe mkfifo(url.path, 0o600) == 0
      case .socket: return unsafe mknod(url.path, S_IFSOCK | 0o600, 0) == 0
      // The device has the numbers of /dev/null.
      case .device: return unsafe mknod(url.path, S_IFCHR | 0o600, 1 << 8 | 3) == 0
      }
      return true
    }
  }

  private func type(of url: URL) throws -> mode_t {
    var status = stat()
    try #require(unsafe lstat(url.path, &status) == 0)
    return status.st_mode
  }

  private func failure(_ exchange: Exchange, to file: URL) async throws -> (any Error)? {
    try await exchange.session.promise(for: exchange.request(), downloadingTo: file).awaitedError
  }

  @Test("A download refuses to replace anything but a regular file, and sends nothing", arguments: Node.allCases)
  func refused(_ node: Node) async throws {
    let exchange = try Exchange { _ in .text("body") }
    let file = exchange.folder.file("in")
    // Only root may create a device, and not in every container.
    guard try node.make(at: file) else { return #expect(node == .device) }
    let before = try type(of: file)
    let names = try exchange.folder.names
    let error = try await failure(exchange, to: file)
    let kind = node == .danglingLink ? "a symbolic link" : node.rawValue
    let isExpected = if case .notRegularFile(file, kind: kind) = error as? TransferError { true } else { false }
    #expect(isExpected, "\(String(describing: error))")
    #expect(try type(of: file) == before)
    #expect(try exchange.folder.names == names)
    if node == .linkToFile { #expect(try exchange.folder.bytes(of: "linked") == [1, 2, 3]) }
    #expect(exchange.asked.isEmpty)
  }

  @Test("A target that stops being a regular file while the response arrives is left unchanged")
  func refusedAtTheEnd() async throws {
    let folder = try Folder()
    let file = folder.file("in")
    let exchange = try Exchange { _ in
      Response(pieces: [.text("bo"), .call { _ = unsafe mkfifo(file.path, 0o600) }, .text("dy")])
    }
    let error = try await failure(exchange, to: file)
    let text = "\(try #require(error))"
    #expect(text == "the download cannot replace \(file.path): it is \(Node.pipe.rawValue), not a regular file")
    #expect(try type(of: file) & S_IFMT == S_IFIFO)
    #expect(try folder.names == ["in"])
  }

  @Test(
    "A replaced file keeps its permissions, except the set-user-ID permission",
    arguments: [(0o600, 0o600), (0o640, 0o640), (0o755, 0o755), (0o444, 0o444), (0o4755, 0o755)] as [(mode_t, mode_t)])
  func permissionsAreKept(_ before: mode_t, _ after: mode_t) async throws {
    let exchange = try Exchange { _ in .text("body") }
    let file = try exchange.folder.write([1], to: "in")
    try #require(unsafe chmod(file.path, before) == 0)
    #expect(try await failure(exchange, to: file) == nil)
    #expect(try type(of: file) == S_IFREG | after)
    #expect(try exchange.folder.bytes(of: "in") == Array("body".utf8))
  }

  @Test("A new file has the same permissions as any other new file")
  func newFile() async throws {
    let exchange = try Exchange { _ in .text("body") }
    let other = try exchange.folder.write([1], to: "other")
    #expect(try await failure(exchange, to: exchange.folder.file("in")) == nil)
    #expect(try type(of: exchange.folder.file("in")) == type(of: other))
    #expect(try exchange.folder.names == ["in", "other"])
  }

  @Test("Only the owner may read a download while it grows")
  func partIsPrivate() async throws {
    let folder = try Folder()
    let modes = Log<mode_t>()
    let look: @Sendable () -> Void = {
      for name in (try? folder.names) ?? [] where name.hasSuffix(".part") {
        if let mode = try? type(of: folder.file(name)) { modes.append(mode) }
      }
    }
    let exchange = try Exchange { _ in Response(pieces: [.call(look), .text("bo"), .call(look), .text("dy")]) }
    #expect(try await failure(exchange, to: folder.file("in")) == nil)
    #expect(modes.entries == [S_IFREG | 0o600, S_IFREG | 0o600])
  }
}
