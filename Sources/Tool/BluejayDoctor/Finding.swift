/// The result of one check.
package struct Finding: Equatable, Swift.Sendable {
    /// The severity of a finding.
    package enum Verdict: String, Equatable, Codable, Swift.Sendable {
        /// No problem.
        case good
        /// Information that requires no action, such as a limit of this version of BlueZ.
        case note
        /// A risk: Bluetooth works, but may fail.
        case warning
        /// A problem that prevents the use of Bluetooth; has a remedy.
        case trouble
    }

    /// The stable identifier of a check; titles may change.
    package enum Topic: String, Equatable, Codable, Swift.Sendable {
        case container, kernel, rfkill, bus, daemon, permissions, version, experimental, adapter
        case discovery, connected, crashes, simulator
    }

    package let verdict: Verdict
    package let topic: Topic
    /// The displayed name of the check.
    package let title: String
    /// The result in one line; may contain names received by radio.
    package let found: String
    /// The remedy in one line; present for troubles only.
    package let mend: String?

    package static func good(_ topic: Topic, _ title: String, _ found: String) -> Finding {
        Finding(verdict: .good, topic: topic, title: title, found: found, mend: nil)
    }

    package static func note(_ topic: Topic, _ title: String, _ found: String) -> Finding {
        Finding(verdict: .note, topic: topic, title: title, found: found, mend: nil)
    }

    package static func warning(_ topic: Topic, _ title: String, _ found: String) -> Finding {
        Finding(verdict: .warning, topic: topic, title: title, found: found, mend: nil)
    }

    package static func trouble(
        _ topic: Topic,
        _ title: String,
        _ found: String,
        mend: String
    ) -> Finding {
        Finding(verdict: .trouble, topic: topic, title: title, found: found, mend: mend)
    }
}

extension Finding: Encodable {}
