// digest-folder <folder>
//
// Reads every file below a folder, several at a time. Prints the number and the size of the files, the largest files,
// those that could not be read, and a digest that changes if any file changes. Start reading in `FolderDigester.swift`.
//
// On a terminal it shows its progress. Ctrl-C stops all lanes, and the program prints the summary so far. A second
// Ctrl-C ends the program at once.
//
// Exit codes: 0 all files were read, 1 some could not be read, 2 wrong argument, 130 stopped by Ctrl-C.

import Foundation
import PromiseProcesses

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("digest-folder: \(message)\n".utf8))
  exit(2)
}

guard CommandLine.arguments.count == 2 else { fail("which folder? usage: digest-folder <folder>") }
let path = CommandLine.arguments[1]

guard let walk = try? FolderWalk(root: URL(fileURLWithPath: path)) else {
  fail("'\(path)' is not a folder that can be read")
}

let digester = FolderDigester(walk)
let bar = ProgressBar()

// Made before the work begins, so that no Ctrl-C ends the program without a summary.
let interrupt = Promise.signal(SIGINT)
let summary = digester.summary(lanes: 8)

interrupt.onFulfilled(on: .main) { _ in summary.cancel() }

summary
  .onProgress(on: .main) { bar.show($0) }
  .onFulfilled(on: .main) { summary in
    bar.clear()
    print(summary)
    exit(summary.unreadable.isEmpty ? 0 : 1)
  }
  .onRejected(on: .main) { _ in
    // Only Ctrl-C rejects the promise, because a file that cannot be read is part of the summary.
    digester.summarySoFar().onFulfilled(on: .main) { summary in
      bar.clear()
      print("stopped; until then:\n\(summary)")
      exit(130)
    }
  }

// The main thread now runs what is sent to `.main`.
dispatchMain()
