/// One thing that was looked at, and how it is.
package struct Finding: Equatable, Swift.Sendable {
    /// How it is.
    package enum Verdict: String, Equatable, Codable, Swift.Sendable {
        /// As it should be.
        case good
        /// Worth knowing; nothing is in the way.
        case note
        /// In the way of Bluetooth, with what to do about it.
        case trouble
    }

    /// What was looked at, as programs know it; a title may change.
    package enum Topic: String, Equatable, Codable, Swift.Sendable {
        case container, kernel, rfkill, bus, daemon, permissions, version, experimental, adapter
        case discovery, connected, crashes, simulator
    }

    package let verdict: Verdict
    package let topic: Topic
    /// What was looked at, as people call it.
    package let title: String
    /// What was found, in one line; names in it come from the air.
    package let found: String
    /// What to do, in one line; there for each trouble, and for nothing else.
    package let mend: String?

    private init(
        _ verdict: Verdict,
        _ topic: Topic,
        _ title: String,
        _ found: String,
        _ mend: String?
    ) {
        self.verdict = verdict
        self.topic = topic
        self.title = title
        self.found = found
        self.mend = mend
    }

    /// Something that is as it should be.
    package static func good(_ topic: Topic, _ title: String, _ found: String) -> Finding {
        Finding(.good, topic, title, found, nil)
    }

    /// Something that is worth knowing.
    package static func note(_ topic: Topic, _ title: String, _ found: String) -> Finding {
        Finding(.note, topic, title, found, nil)
    }

    /// Something that is in the way.
    package static func trouble(
        _ topic: Topic,
        _ title: String,
        _ found: String,
        mend: String
    ) -> Finding {
        Finding(.trouble, topic, title, found, mend)
    }
}

extension Finding: Encodable {}
