import BluejayCore
import Foundation
import Testing

@testable import PocketMesh

@Suite("The public values: phases, errors, states and identifiers")
struct ContractTests {
    private typealias Row = (phase: BLEPhase, name: String, device: UUID?, state: ConnectionState)

    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// The eleven phases, in the document's order.
    private static let phases: [Row] = [
        (.idle, "idle", nil, .disconnected),
        (.waitingForBluetooth, "waitingForBluetooth", nil, .connecting),
        (.connecting(id), "connecting", id, .connecting),
        (.discoveringServices(id), "discoveringServices", id, .connecting),
        (.discoveringCharacteristics(id), "discoveringCharacteristics", id, .connecting),
        (.subscribingToNotifications(id), "subscribingToNotifications", id, .connecting),
        (.discoveryComplete(id), "discoveryComplete", id, .connecting),
        (.connected(id), "connected", id, .connected),
        (.autoReconnecting(id), "autoReconnecting", id, .connecting),
        (.restoringState(id), "restoringState", id, .connecting),
        (.disconnecting(id), "disconnecting", id, .disconnected),
    ]

    @Test("A phase has its name, an optional device, and is active unless it is idle")
    func phases() {
        for row in Self.phases {
            #expect(row.phase.name == row.name)
            #expect(row.phase.deviceID == row.device)
            #expect(row.phase.isActive == (row.name != "idle"))
        }
        #expect(Set(Self.phases.map(\.phase)).count == 11)
    }

    @Test("Each phase maps to one of four states, and only a wired connection is ready")
    func states() {
        for row in Self.phases {
            #expect(ConnectionState(row.phase, isWired: false) == row.state)
            let wired = row.state == .connected ? .ready : row.state
            #expect(ConnectionState(row.phase, isWired: true) == wired)
        }
    }

    @Test(
        "The indicators are red, yellow with a spinner, yellow and green",
        arguments: [
            (ConnectionState.disconnected, ConnectionState.Indicator.Color.red, false),
            (.connecting, .yellow, true), (.connected, .yellow, false), (.ready, .green, false),
        ]
    )
    func indicators(
        state: ConnectionState,
        colour: ConnectionState.Indicator.Color,
        showsSpinner: Bool
    ) {
        #expect(state.indicator.color == colour)
        #expect(state.indicator.showsSpinner == showsSpinner)
    }

    @Test("The codes 5, 8, 14 and 15 are pairing failures, with the reason")
    func pairing() {
        let found = (UInt8.min...UInt8.max).filter { code in
            let error = BLEError.pairingFailure(attributeCode: code, reason: "why")
            #expect(error == nil || error == .pairingFailed("why"))
            return error != nil
        }
        #expect(found == [5, 8, 14, 15])
    }

    @Test("Each error has a description, which is also its localized description")
    func texts() {
        let states: [BluetoothState] = [
            .unknown, .resetting, .blocked, .noAdapter, .adapterNotFound("hci1"),
            .serviceNotRunning, .busUnavailable("no"),
        ]
        let errors: [BLEError] =
            [
                .connectionTimeout, .operationTimeout, .characteristicNotFound,
                .pairingFailed("why"), .bluetoothUnauthorized, .bluetoothPoweredOff,
                .deviceNotFound, .connectionFailed("why"), .notConnected, .writeError("why"),
                .pairingCancelled,
            ] + states.map { .bluetoothUnavailable($0) }
        for error in errors {
            let text = error.description
            #expect(text.first?.isLowercase == true && !text.hasSuffix("."), "\(text)")
            #expect(error.errorDescription == text && error.localizedDescription == text)
        }
        #expect(Set(errors.map(\.description)).count == errors.count)
        for error in [BLEError.pairingFailed("why"), .connectionFailed("why"), .writeError("why")] {
            #expect(error.description.contains("why"))
        }
    }

    @Test("Bluetooth that is off and Bluetooth without permission have separate errors")
    func unavailable() {
        #expect(BLEError(.poweredOff) == .bluetoothPoweredOff)
        #expect(BLEError(.unauthorized("no")) == .bluetoothUnauthorized)
        let others: [BluetoothState] = [
            .unknown, .resetting, .blocked, .noAdapter, .adapterNotFound("hci1"),
            .serviceNotRunning, .busUnavailable("no"),
        ]
        for state in others { #expect(BLEError(state) == .bluetoothUnavailable(state)) }
    }

    @Test("The service and its two characteristics are those of the Nordic UART Service")
    func uuids() {
        let expected = [
            (NordicUART.serviceUUID, "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"),
            (NordicUART.txUUID, "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"),
            (NordicUART.rxUUID, "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"),
        ]
        for (uuid, text) in expected { #expect(uuid.uuidString == text) }
        #expect(NordicUART.tx.service == NordicUART.service)
        #expect(NordicUART.rx.service == NordicUART.service)
    }
}
