import Foundation
import Testing

/// A headless Chromium with one page, driven through a pipe by the DevTools protocol.
final class Browser {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received = Data()
  private var session: String?
  private var count = 0
  /// The messages that no call has waited for.
  private(set) var notices: [[String: Any]] = []

  /// The path of a Chromium. `CHROMIUM` sets another path.
  static var path: String? {
    let folders = (environmentValue("PATH") ?? "").split(separator: ":").map(String.init)
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    let candidates = folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    return ([environmentValue("CHROMIUM")].compactMap { $0 } + candidates).first(
      where: FileManager.default.isExecutableFile)
  }

  /// Starts a browser with an empty page.
  init(dark: Bool = false, width: Int = 1440, height: Int = 900) throws {
    process.executableURL = URL(filePath: "/bin/sh")
    // The browser reads descriptor 3 and writes descriptor 4. A run that hangs is ended after half an hour, and the
    // test fails.
    let script = """
      exec 3<&0 4>&1 </dev/null >/dev/null 2>&1
      command -v timeout >/dev/null && set -- timeout 1800 "$@"
      exec "$@"
      """
    process.arguments = [
      "-c", script, "sh", try #require(Self.path), "--headless", "--no-sandbox", "--disable-gpu",
      "--remote-debugging-pipe",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? ""
    session = try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
    for domain in ["Page", "Runtime", "Log"] { try call("\(domain).enable") }
    try call(
      "Emulation.setDeviceMetricsOverride", ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    let appearance = ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
    try call("Emulation.setEmulatedMedia", ["features": [appearance]])
  }

  /// Ends the browser.
  func close() throws {
    session = nil
    try call("Browser.close")
    process.waitUntilExit()
  }

  /// Opens a page and waits until it reports that it is ready.
  func open(_ address: URL) throws {
    try call("Page.navigate", ["url": address.absoluteString])
    try waitUntilReady()
  }

  /// Waits until the page reports that it is ready.
  func waitUntilReady() throws {
    _ = try value(
      """
      new Promise((resolve, reject) => {
        for (const kind of ["error", "unhandledrejection"]) addEventListener(kind, reject);
        const look = () => document.documentElement?.dataset.state === "ready" && resolve(true);
        new MutationObserver(look).observe(document, { subtree: true, attributeFilter: ["data-state"] });
        look();
      })
      """)
  }

  /// Returns the value of an expression in the page. Awaits the value if it is a JavaScript promise.
  func value(_ expression: String) throws -> Any? {
    let answer = try call("Runtime.evaluate", ["expression": expression, "awaitPromise": true, "returnByValue": true])
    if let exception = answer["exceptionDetails"] { throw Failure(text: "\(exception)") }
    return (answer["result"] as? [String: Any])?["value"]
  }

  /// Returns the text of an element, or `nil` if there is none.
  func text(_ selector: String) throws -> String? {
    try value("document.querySelector('\(selector)')?.textContent") as? String
  }

  /// Returns the texts of all elements that a selector finds.
  func texts(_ selector: String) throws -> [String] {
    try value("[...document.querySelectorAll('\(selector)')].map((e) => e.textContent)") as? [String] ?? []
  }

  /// Presses and releases a key.
  func press(_ key: String) throws {
    let text = key.count == 1 ? ["text": key] : [:]
    for type in ["keyDown", "keyUp"] {
      try call("Input.dispatchKeyEvent", ["type": type, "key": key].merging(type == "keyDown" ? text : [:]) { $1 })
    }
    try waitForFrame()
  }

  /// Waits until the page has drawn its changes.
  func waitForFrame() throws {
    _ = try value("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
  }

  /// The errors that the page has written to the console, and its uncaught exceptions.
  var errors: [String] {
    notices.compactMap { notice in
      let method = notice["method"] as? String
      let parameters = notice["params"] as? [String: Any] ?? [:]
      let entry = parameters["entry"] as? [String: Any]
      switch method {
      case "Runtime.exceptionThrown": return "\(parameters)"
      case "Runtime.consoleAPICalled": return parameters["type"] as? String == "error" ? "\(parameters)" : nil
      case "Log.entryAdded": return entry?["level"] as? String == "error" ? "\(parameters)" : nil
      default: return nil
      }
    }
  }

  /// Sends a command and waits for its answer.
  @discardableResult
  func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    count += 1
    var message: [String: Any] = ["id": count, "method": method, "params": parameters]
    message["sessionId"] = session
    try input.fileHandleForWriting.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
    while true {
      let answer = try receive()
      guard answer["id"] as? Int == count else {
        notices.append(answer)
        continue
      }
      if let error = answer["error"] { throw Failure(text: "\(method): \(error)") }
      return answer["result"] as? [String: Any] ?? [:]
    }
  }

  /// Waits for the next message of a kind.
  func wait(for method: String) throws {
    repeat { notices.append(try receive()) } while notices.last?["method"] as? String != method
  }

  private func receive() throws -> [String: Any] {
    while true {
      if let end = received.firstIndex(of: 0) {
        let message = received[..<end]
        received = Data(received[received.index(after: end)...])
        return try JSONSerialization.jsonObject(with: message) as? [String: Any] ?? [:]
      }
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { throw Failure(text: "the browser has ended") }
      received += part
    }
  }

  struct Failure: Error {
    let text: String
  }
}

/// Returns the value of an environment variable.
func environmentValue(_ name: String) -> String? {
  // Safe, because the text is copied at once, and no test changes the environment.
  unsafe getenv(name).map { unsafe String(cString: $0) }
}
