// A program that is linked with Foundation.
import Foundation
import PromiseCombinators
import PromiseHTTP
import PromiseProcesses

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// prints: echoed
print(try await Command("echo", ["-n", "echoed"]).run().map { $0.text }.value)

// prints: a request: refused
if let address = URL(string: "no-such-scheme:nothing") {
  let response = URLSession(configuration: .ephemeral).promise(for: URLRequest(url: address))
  print("a request:", try await response.map { _ in "answered" }.recover { _ in "refused" }.value)
}
