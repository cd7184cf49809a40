// The C library, with Mach's functions for information about a thread. Its functions for processes and signals have
// other types than on Linux.
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

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public typealias SpawnActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
public typealias SpawnAttributes = UnsafeMutablePointer<posix_spawnattr_t?>
public typealias CStringArray = UnsafePointer<UnsafeMutablePointer<CChar>?>

public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }
public var CTL_KERN: Int32 { 1 }
public var KERN_PROC: Int32 { 14 }
public var KERN_PROC_PGRP: Int32 { 2 }
public var SZOMB: Int32 { 5 }

// The compiler treats C structures with pointers as unsafe.
@unsafe public struct extern_proc {
  public var p_vmspace: OpaquePointer?
  public var p_stat: CChar = 0
  public var p_pid: pid_t = 0
  public init() {}
}

@unsafe public struct kinfo_proc {
  public var kp_proc = unsafe extern_proc()
  public init() {}
}

public func sysctl(
  _ name: UnsafeMutablePointer<Int32>!, _ count: UInt32, _ old: UnsafeMutableRawPointer!,
  _ oldSize: UnsafeMutablePointer<Int>!, _ new: UnsafeMutableRawPointer!, _ newSize: Int
) -> Int32 { fatalError() }

public var F_SETNOSIGPIPE: Int32 { 73 }

public func posix_spawn_file_actions_init(_ actions: SpawnActions!) -> Int32 { fatalError() }
@discardableResult
public func posix_spawn_file_actions_destroy(_ actions: SpawnActions!) -> Int32 { fatalError() }
public func posix_spawn_file_actions_adddup2(_ actions: SpawnActions!, _ from: Int32, _ to: Int32) -> Int32 {
  fatalError()
}
public func posix_spawn_file_actions_addchdir_np(_ actions: SpawnActions!, _ path: UnsafePointer<CChar>!) -> Int32 {
  fatalError()
}
public func posix_spawnattr_init(_ attributes: SpawnAttributes!) -> Int32 { fatalError() }
@discardableResult
public func posix_spawnattr_destroy(_ attributes: SpawnAttributes!) -> Int32 { fatalError() }
public func posix_spawnattr_setpgroup(_ attributes: SpawnAttributes!, _ group: pid_t) -> Int32 { fatalError() }
public func posix_spawnattr_setflags(_ attributes: SpawnAttributes!, _ flags: Int16) -> Int32 { fatalError() }
public func posix_spawnattr_setsigmask(_ attributes: SpawnAttributes!, _ signals: UnsafePointer<sigset_t>!) -> Int32 {
  fatalError()
}
public func posix_spawnattr_setsigdefault(
  _ attributes: SpawnAttributes!, _ signals: UnsafePointer<sigset_t>!
) -> Int32 { fatalError() }
public func posix_spawn(
  _ process: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>!, _ attributes: UnsafePointer<posix_spawnattr_t?>!,
  _ arguments: CStringArray!, _ environment: CStringArray!
) -> Int32 { fatalError() }

public struct __sigaction_u {
  @unsafe public var __sa_handler: (@convention(c) (Int32) -> Void)?
  public init() {}
}

extension sigaction {
  public var __sigaction_u: Darwin.__sigaction_u {
    get { fatalError() }
    set {}
  }
}
