import Foundation

/// Which case of a test the process is to play that an exit test starts.
///
/// Swift 6.2 hands no values over to such a process, but the environment. The cases of one name are to be played
/// one after the other.
package struct ExitCase: Swift.Sendable {
    private let variable: String

    /// The cases of a test with a name of its own.
    package init(of test: String) {
        variable = "BLUEJAY_EXIT_CASE_" + test
    }

    /// Says which case the next process plays.
    package func choose(_ index: Int) {
        unsafe setenv(variable, "\(index)", 1)
    }

    /// The case that this process is to play.
    package var chosen: Int {
        guard let text = ProcessInfo.processInfo.environment[variable], let index = Int(text) else {
            // Another end than the one that the test looks for.
            fatalError("no case of \(variable) was chosen")
        }
        return index
    }
}
