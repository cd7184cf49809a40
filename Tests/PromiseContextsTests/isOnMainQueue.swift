import Dispatch

private let mainKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Whether the calling code runs on the main queue. Not a question to the thread: on Linux, once `main` waits in
/// `dispatchMain`, the main queue is served by workers.
var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainKey) == true }
