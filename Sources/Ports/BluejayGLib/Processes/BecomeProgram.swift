internal import Glibc

/// Goes on as another program, with the arguments, the environment and the descriptors of this one.
///
/// Nothing is closed or called before. To be called while there is one thread.
///
/// - Parameters:
///   - path: Of the program.
///   - arguments: Without its name.
/// - Returns: Only when that is not possible: why, in words.
package func becomeProgram(_ path: String, _ arguments: [String]) -> String {
    unsafe withCStrings([path] + arguments) { words in
        guard let words = unsafe words else { return "it has no name" }
        unsafe execv(path, words)
        return unsafe String(cString: strerror(errno))
    }
}
