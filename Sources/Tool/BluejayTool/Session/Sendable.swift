/// The marker of the language, in files that import Bluejay too.
typealias Sendable = Swift.Sendable
