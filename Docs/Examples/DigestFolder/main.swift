// digest-folder <folder>
//
// Reads every file below a folder, several at a time, and prints how many there are, how large, which are the largest,
// which could not be read, and a digest that changes if anything changes. Start reading in `FolderDigester.swift`.
//
// Exit codes: 0 all was read, 1 something could not be read, 2 there is nothing to do.

import Foundation
import PromiseContexts

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("digest-folder: \(message)\n".utf8))
  exit(2)
}

guard CommandLine.arguments.count == 2 else { fail("which folder? usage: digest-folder <folder>") }
let path = CommandLine.arguments[1]

guard let walk = try? FolderWalk(root: URL(fileURLWithPath: path)) else {
  fail("'\(path)' is not a folder that can be read")
}

FolderDigester(walk).summary(lanes: 8)
  .onFulfilled(on: .main) { summary in
    print(summary)
    exit(summary.unreadable.isEmpty ? 0 : 1)
  }
  .onRejected(on: .main) { error in fail("\(error)") }

// The main thread now runs what is sent to `.main`.
dispatchMain()
