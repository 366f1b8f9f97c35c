import BluejayCore
import BluejayCurses
import Foundation

@testable import Bluejay
@testable import BluejayTool

/// Devices and attributes for the tests of the inspector.
enum InspectorSamples {
    static let sensor = device("Heart Rate Sensor", "C4:7C:8D:6A:1F:02")
    private static let heartRate = ServiceIdentifier(uuid: "180D")
    static let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)

    /// Row 1 is the measurement, 2 its configuration, 3 the location and 4 the control point.
    static let services = [
        PeripheralService(
            identifier: heartRate,
            isPrimary: true,
            characteristics: [
                characteristic("2A37", of: heartRate, .notify, descriptors: ["2902"]),
                characteristic("2A38", of: heartRate, .read),
                characteristic("2A39", of: heartRate, .write),
            ],
            includedServices: []
        )
    ]

    static func scanned(
        _ name: String?,
        _ number: Int,
        rssi: Int = -55,
        isConnected: Bool = false
    ) -> ScanRow {
        ScanRow(
            ScanDiscovery(
                peripheralIdentifier: device(name, "C0:00:00:00:00:\(10 + number)"),
                advertisement: Advertisement(localName: name),
                rssi: rssi,
                isConnected: isConnected
            )
        )
    }

    /// An inspector with the connected sensor.
    static func connected() -> InspectorState {
        var state = InspectorState()
        _ = state.open(sensor)
        _ = state.handle(.connected(sensor, services, isPaired: false), at: 0)
        return state
    }
}

extension InspectorState {
    /// Presses keys: each character of a text.
    @discardableResult
    mutating func type(_ text: String, at time: Double = 0) -> [InspectorAction] {
        text.flatMap { handle(.key(.character($0)), at: time) }
    }

    @discardableResult
    mutating func press(_ keys: TerminalKey..., at time: Double = 0) -> [InspectorAction] {
        keys.flatMap { handle(.key($0), at: time) }
    }
}
