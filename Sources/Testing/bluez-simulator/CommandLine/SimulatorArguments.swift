internal import BluejaySimulator

/// The command line of the simulator.
///
/// The simulator parses it itself: with swift-argument-parser, each package that depends on Bluejay would fetch that
/// package.
struct SimulatorArguments {
    /// What the command line asks for.
    enum Request {
        case run(SimulatorArguments)
        case help
        case version
    }

    private(set) var adapters = 2
    private(set) var noAdapter = false
    private(set) var poweredOff = false
    private(set) var timeScale = 1.0
    private(set) var kind = SimulatedBlueZVersion.v5_66
    private(set) var kernel = SimulatedKernel.v6_1_176
    private(set) var extendedAdvertising = false
    private(set) var heartRateSensor = false
    private(set) var passkeyLock = false
    /// The paths of the files.
    private(set) var devices: [String] = []
    private(set) var centrals: [[CentralStep]] = []
    /// The path of the file of faults, if any.
    private(set) var faults: String?
    /// The command after `--`.
    private(set) var command: [String] = []

    /// Parses the words of a command line, without the name of the program.
    static func parse(_ words: [String]) throws(CommandLineError) -> Request {
        var arguments = SimulatorArguments()
        var unexpected: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                arguments.command = Array(rest)
                break
            }
            if word == "--help" || word == "-h" { return .help }
            if word == "--version" { return .version }
            guard word.hasPrefix("-"), word != "-" else {
                unexpected.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = SimulatorOption(rawValue: String(parts[0])) else {
                throw .unknownOption(String(parts[0]))
            }
            let given = parts.count > 1 ? String(parts[1]) : nil
            try arguments.set(option, try option.value(given, from: &rest))
        }
        guard unexpected.isEmpty else { throw .unexpected(unexpected) }
        try arguments.validate()
        return .run(arguments)
    }

    private mutating func set(
        _ option: SimulatorOption,
        _ text: String
    ) throws(CommandLineError) {
        switch option {
        case .noAdapter: noAdapter = true
        case .poweredOff: poweredOff = true
        case .extendedAdvertising: extendedAdvertising = true
        case .heartRateSensor: heartRateSensor = true
        case .passkeyLock: passkeyLock = true
        case .adapters: adapters = try option.converted(text, Int(text))
        case .timeScale: timeScale = try option.converted(text, Double(text))
        case .kind:
            let reason = "unknown bluetoothd \(text); use \(SimulatorHelp.kinds)"
            kind = try option.converted(text, SimulatedBlueZVersion(rawValue: text), reason)
        case .kernel:
            let reason = "unknown Linux \(text); use \(SimulatorHelp.kernels)"
            kernel = try option.converted(text, SimulatedKernel(rawValue: text), reason)
        case .device: devices.append(text)
        case .faults: faults = text
        case .central:
            do {
                centrals.append(try CentralScriptParser.parse(text))
            } catch {
                throw .invalidValue(text, of: option, error.description)
            }
        }
    }

    private func validate() throws(CommandLineError) {
        guard (0...16).contains(adapters) else {
            throw .invalid("--adapters must be between 0 and 16")
        }
        guard centrals.count <= 255 else {
            throw .invalid("--central may be used at most 255 times")
        }
        guard devices.count <= 255 else { throw .invalid("--device may be used at most 255 times") }
        guard timeScale >= 0.0001, timeScale <= 1000 else {
            throw .invalid("--time-scale must be between 0.0001 and 1000")
        }
    }
}

/// An option of the simulator.
enum SimulatorOption: String, CaseIterable {
    case adapters = "--adapters"
    case noAdapter = "--no-adapter"
    case poweredOff = "--powered-off"
    case timeScale = "--time-scale"
    case kind = "--kind"
    case kernel = "--kernel"
    case extendedAdvertising = "--extended-advertising"
    case heartRateSensor = "--heart-rate-sensor"
    case passkeyLock = "--passkey-lock"
    case device = "--device"
    case central = "--central"
    case faults = "--faults"

    /// The name of the value in the help, or `nil` if the option has no value.
    var valueName: String? {
        switch self {
        case .adapters: "adapters"
        case .timeScale: "time-scale"
        case .kind: "kind"
        case .kernel: "kernel"
        case .device, .faults: "file"
        case .central: "script"
        case .noAdapter, .poweredOff, .extendedAdvertising, .heartRateSensor, .passkeyLock: nil
        }
    }

    /// Whether the next word is the value even if it begins with a hyphen, as negative numbers do.
    private var takesAnyWord: Bool { self == .adapters || self == .timeScale }

    /// Returns the value: the part of the same word after `=`, or the next word; empty for a flag.
    fileprivate func value(
        _ given: String?,
        from rest: inout ArraySlice<String>
    ) throws(CommandLineError) -> String {
        guard valueName != nil else {
            if let given { throw .unexpectedValue(given, of: self) }
            return ""
        }
        if let given {
            guard !given.isEmpty else { throw .missingValue(of: self) }
            return given
        }
        guard let next = rest.first, next != "--" else { throw .missingValue(of: self) }
        guard takesAnyWord || !next.hasPrefix("-") || next == "-" else {
            throw .missingValue(of: self)
        }
        rest.removeFirst()
        return next
    }

    fileprivate func converted<Value>(
        _ text: String,
        _ value: Value?,
        _ reason: String? = nil
    ) throws(CommandLineError) -> Value {
        if let value { return value }
        throw .invalidValue(text, of: self, reason)
    }
}

/// The reason why a command line is rejected.
enum CommandLineError: Error, Equatable {
    case unknownOption(String)
    case unexpected([String])
    case unexpectedValue(String, of: SimulatorOption)
    case missingValue(of: SimulatorOption)
    case invalidValue(String, of: SimulatorOption, String?)
    case invalid(String)
}
