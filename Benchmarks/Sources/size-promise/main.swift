import Dispatch
import PromiseContexts

// S1 measures by how much a program grows that uses a promise and `map`.

let queue = DispatchQueue(label: "size")
let done = DispatchSemaphore(value: 0)

let deferred = Deferred<Int>()
_ = deferred.promise.map(on: queue) {
  print($0 + 1)
  done.signal()
}
deferred.fulfill(1)
done.wait()
