#if canImport(FoundationNetworking)
  import PromiseHTTP
  import Testing

  /// Redirects all later writes to the partial file to a device that is always full.
  func fillDisk(of folder: Folder) throws {
    let open = "/proc/self/fd"
    let part = try FileManager.default.contentsOfDirectory(atPath: open).compactMap(Int32.init).first { descriptor in
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(open)/\(descriptor)")
      return path.map { $0.contains(folder.url.lastPathComponent) && $0.hasSuffix(".part") } ?? false
    }
    let full = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
    #expect(dup2(full.fileDescriptor, try #require(part)) >= 0)
    try full.close()
  }
#endif
