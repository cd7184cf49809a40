// The C library, with what Mach adds to it: questions to a thread.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NoLeadingUnderscores, TypeNamesShouldBeCapitalized

@_exported import Glibc

public typealias kern_return_t = Int32
public typealias integer_t = Int32
public typealias natural_t = UInt32
public typealias mach_port_t = natural_t
public typealias thread_inspect_t = mach_port_t
public typealias thread_flavor_t = natural_t
public typealias mach_msg_type_number_t = natural_t
public typealias policy_t = Int32
public typealias thread_info_t = UnsafeMutablePointer<integer_t>

public var KERN_SUCCESS: Int32 { 0 }
public var THREAD_BASIC_INFO: Int32 { 3 }
public var TH_STATE_RUNNING: Int32 { 1 }

public struct time_value_t {
  public var seconds: integer_t = 0
  public var microseconds: integer_t = 0
}

public struct thread_basic_info {
  public var user_time = time_value_t()
  public var system_time = time_value_t()
  public var cpu_usage: integer_t = 0
  public var policy: policy_t = 0
  public var run_state: integer_t = 0
  public var flags: integer_t = 0
  public var suspend_count: integer_t = 0
  public var sleep_time: integer_t = 0
  public init() {}
}

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

public func pthread_self() -> pthread_t { fatalError() }
public func pthread_mach_thread_np(_ thread: pthread_t) -> mach_port_t { fatalError() }
public func thread_info(
  _ thread: thread_inspect_t, _ flavor: thread_flavor_t, _ info: thread_info_t!,
  _ count: UnsafeMutablePointer<mach_msg_type_number_t>!
) -> kern_return_t { fatalError() }
