import Bluejay
import BluejayCore
import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("Messages quoted in the troubleshooting pages", .timeLimit(.minutes(15)))
struct TroubleshootingTests {
    /// The quotations of the pages, each without its line breaks.
    private static let quoted: [String] = {
        let pages = [
            "Troubleshooting", "TroubleshootingConnections", "TroubleshootingPrograms",
        ]
        return pages.flatMap { page in
            let file = repositoryFile("Documentation/\(page).md")
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.matches(of: #/(?m)(?:^> .*\n)+/#).map { match in
                match.output.split(separator: "\n").map { $0.dropFirst(2) }.joined(separator: " ")
            }
        }
    }()

    /// The texts of errors and states, in the order of the pages.
    private static let ofValues: [String] = {
        let states: [BluetoothState] = [
            .busUnavailable("…"), .serviceNotRunning, .serviceNotResponding, .noAdapter,
            .adapterNotFound("…"),
            .poweredOff, .blocked, .unauthorized("…"), .resetting, .unknown,
        ]
        let service = ServiceIdentifier(uuid: "180D")
        let characteristic = CharacteristicIdentifier(uuid: "2A37", service: service)
        let peripheral = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
        let errors: [(BluejayError, variable: String)] = [
            (.noPeripheralFound("service 180D"), ""), (.connectionTimedOut, ""),
            (refused("le-connection-abort-by-local"), ""),
            (refused("le-connection-concurrent-connection-limit"), ""),
            (refused("br-connection-page-timeout"), ""), (refused("le-connection-unknown"), ""),
            (.connectionFailed("…"), ""), (.peripheralNotFound(peripheral), "\(peripheral)"),
            (.linkLost(.timeout), ""), (.missingService(service), "\(service)"),
            (.missingCharacteristic(characteristic), "\(characteristic)"),
            (.operationTimedOut, ""), (.inUse("adapter …"), ""), (.notPaired, ""),
            (unpaired("Failed"), ""), (unpaired("Rejected"), ""),
            (.pairingFailed("…"), ""), (.pairingRejected, ""), (.blockedMainLoop, ""),
        ]
        return states.map(\.description)
            + errors.map { error, variable in
                variable.isEmpty
                    ? error.description : error.description.replacing(variable, with: "…")
            }
    }()

    private static func refused(_ text: String) -> BluejayError {
        .unexpectedDisconnect.withBlueZError(name: "org.bluez.Error.Failed", text: text)
    }

    private static func unpaired(_ how: String) -> BluejayError {
        .pairingFailed("org.bluez.Error.Authentication\(how): Authentication \(how)")
    }

    @Test("Quoted errors and states are the library's, word for word")
    func values() {
        let others = [UnrunLoopDetector.warning]
        let rest = Self.quoted.filter {
            !others.contains($0) && !$0.hasPrefix("dbus-daemon")
        }
        #expect(rest == Self.ofValues)
        #expect(Self.quoted.count == rest.count + 2)
    }

    @Test("Without dbus-daemon, the simulator prints the quoted message")
    func noDaemon() async throws {
        let (lines, status) = try await runProgram(
            "bluez-simulator",
            ["--", "true"],
            environment: ["PATH": "/nowhere"],
            isErrorOutput: true
        )
        let sentence = try #require(Self.quoted.first { $0.hasPrefix("dbus-daemon") })
        #expect(lines == ["bluez-simulator: \(sentence)"])
        #expect(status != 0)
    }
}
