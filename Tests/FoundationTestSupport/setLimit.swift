#if os(Linux)
  package import Foundation
  import Testing

  /// Sets the limit of this process for a resource, such as `RLIMIT_NOFILE`. It is for tests that run in a process of
  /// their own.
  ///
  /// - Returns: the former limit.
  @discardableResult
  package func setLimit(of resource: __rlimit_resource, to count: rlim_t) -> rlim_t {
    let resource = __rlimit_resource_t(resource.rawValue)
    var limit = rlimit()
    #expect(unsafe getrlimit(resource, &limit) == 0)
    let former = limit.rlim_cur
    limit.rlim_cur = count
    #expect(unsafe setrlimit(resource, &limit) == 0)
    return former
  }
#endif
