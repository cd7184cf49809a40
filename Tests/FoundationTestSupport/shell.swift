package import PromiseProcesses

/// Returns a command that runs a script in the shell.
package func shell(_ script: String) -> Command { Command("/bin/sh", ["-c", script]) }
