internal import Foundation

/// The texts of errors of the system.
package enum SystemError {
    /// Returns the text of an `errno`, such as `No such file or directory`.
    package static func text(of number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }

    /// Returns the text of the `errno` behind an error of Foundation, whose own text often has a number only.
    package static func text(of error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        guard cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return text(of: Int32(truncatingIfNeeded: cause.code))
    }
}
