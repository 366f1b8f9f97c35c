/// The language's protocol, also in files that import Bluejay.
typealias Sendable = Swift.Sendable
