import Dispatch

// What `size-promise` is compared with: the least that does the same.

let queue = DispatchQueue(label: "size")
let done = DispatchSemaphore(value: 0)

queue.async {
  print(1 + 1)
  done.signal()
}
done.wait()
