#if canImport(FoundationNetworking)
  // The sessions and requests of Foundation for all files of this target. Apple's Foundation contains them.
  @_exported import FoundationNetworking
#endif
