import Dispatch

// The program with which `size-promise` is compared. It has the same effect without promises.

let queue = DispatchQueue(label: "size")
let done = DispatchSemaphore(value: 0)

queue.async {
  print(1 + 1)
  done.signal()
}
done.wait()
