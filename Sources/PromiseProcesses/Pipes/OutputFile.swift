#if os(macOS) || os(Linux)
  import Dispatch
  import Foundation

  /// The open standard output or standard error of a program.
  struct OutputFile {
    /// The program's end, or `nil` if the program inherits the file of this process.
    let writing: Descriptor?
    /// The reader of the other end, if it is a pipe.
    var reader: OutputReader?
  }

  extension OutputFile {
    /// Opens the file.
    ///
    /// - Parameters:
    ///   - number: `STDOUT_FILENO` or `STDERR_FILENO`.
    ///   - channel: the channel to the consumer of a streamed output. If it is `nil`, such an output is discarded.
    init(
      for output: Command.OutputDestination, as number: Int32, of command: Command, to channel: OutputChannel?,
      on queue: DispatchQueue, with monitor: DescriptorMonitor
    ) throws(SystemError) {
      let destination: OutputReader.Destination? =
        switch output {
        case .collected: .memory(limit: command.outputLimit)
        case .streamed: channel.map { .consumer($0) }
        case .discarded, .inherited: nil
        }
      guard let destination else {
        self.init(
          writing: output == .inherited ? try .replacingMissing(number) : try Descriptor("/dev/null", O_WRONLY))
        return
      }
      let pipe = try Descriptor.pipe()
      let reader = OutputReader(pipe.reading, to: destination, on: queue, with: monitor)
      self.init(writing: pipe.writing, reader: reader)
    }
  }
#endif
