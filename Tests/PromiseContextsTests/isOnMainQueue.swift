import Dispatch

private let mainKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Whether the calling code runs on the main queue. The thread cannot tell, because on Linux worker threads serve the
/// main queue once `main` waits in `dispatchMain`.
var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainKey) == true }
