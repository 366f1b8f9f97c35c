internal import Glibc

/// Replaces this process with another program, which keeps the environment and the descriptors.
///
/// Nothing is closed or called before. Call it while the process has one thread.
///
/// - Parameters:
///   - path: The path of the program.
///   - arguments: The arguments without the program name.
/// - Returns: The text of the error; returns only on failure.
package func replaceProcess(_ path: String, _ arguments: [String]) -> String {
    unsafe withCStrings([path] + arguments) { argv in
        guard let argv = unsafe argv else { return "it has no name" }
        unsafe execv(path, argv)
        return unsafe String(cString: strerror(errno))
    }
}
