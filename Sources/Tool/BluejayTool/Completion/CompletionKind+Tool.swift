import ArgumentParser
import BluejayCore

// The package calls the closures with the words of the command line, the index of the word to complete, and
// the typed part of that word.

extension CompletionKind {
    /// The devices that bluetoothd knows, and the last device.
    static let devices = CompletionKind.custom { words, _, word in
        CompletionCandidate.texts(await deviceCandidates(words), for: word)
    }

    /// The same, and the characteristics of the last device, which a single argument means.
    static let devicesOrCharacteristics = CompletionKind.custom { words, _, word in
        let characteristics = LastAttributes().characteristics(for: words)
        return CompletionCandidate.texts(await deviceCandidates(words) + characteristics, for: word)
    }

    /// The characteristics of the device on the command line, if it is the last device.
    static let characteristics = CompletionKind.custom { words, index, word in
        let last = LastAttributes()
        guard last.isNamed(in: words.prefix(index).dropFirst(2)) else { return [] }
        return CompletionCandidate.texts(last.characteristics(for: words), for: word)
    }

    /// The services of the last device.
    static let services = CompletionKind.custom { _, _, word in
        CompletionCandidate.texts(LastAttributes().services, for: word)
    }

    static let adapters = CompletionKind.custom { _, _, word in
        let candidates = await KnownObjects.adapters()
            .map { CompletionCandidate(text: $0, alternative: nil) }
        return CompletionCandidate.texts(candidates, for: word)
    }

    private static func deviceCandidates(_ words: [String]) async -> [CompletionCandidate] {
        let adapter = words.firstIndex(of: "--adapter").map(words.index(after:))
            .flatMap { $0 < words.endIndex ? CompletionCandidate.unquoted(words[$0]) : nil }
        let known = await KnownObjects.devices(of: adapter)
        guard let last = LastDevice().device, !known.contains(last) else {
            return CompletionCandidate.devices(known)
        }
        return CompletionCandidate.devices([last] + known)
    }
}

/// The last device and its attributes, as far as the cache has them.
struct LastAttributes {
    private let device: PeripheralIdentifier?
    private let content: AttributeCache.Content?

    init() {
        device = LastDevice().device
        content = device.flatMap { AttributeCache().content(of: $0) }
    }

    var services: [CompletionCandidate] {
        (content?.services ?? []).map { CompletionCandidate(text: $0, alternative: nil) }
    }

    /// Whether one of the words means the last device.
    func isNamed(in words: some Sequence<String>) -> Bool {
        guard let device else { return false }
        return words.contains { word in
            let text = CompletionCandidate.unquoted(word)
            guard !text.isEmpty, let argument = try? DeviceArgument(text) else { return false }
            return argument == .last || argument.matchQuality(device) > .noMatch
        }
    }

    /// Returns the characteristics that support the subcommand of the command line.
    func characteristics(for words: [String]) -> [CompletionCandidate] {
        let required: Set<String> =
            switch words.dropFirst().first {
            case "read": ["read"]
            case "write": ["write", "write-without-response"]
            case "listen": ["notify", "indicate"]
            default: []
            }
        return (content?.characteristics ?? []).filter { characteristic in
            required.isEmpty || !required.isDisjoint(with: characteristic.properties)
        }.map { CompletionCandidate(text: $0.name, alternative: $0.uuid) }
    }
}
