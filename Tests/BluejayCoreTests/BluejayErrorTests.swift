import BluejayCore
import Foundation
import Testing

@Suite("Errors")
struct BluejayErrorTests {
    private static let service = ServiceIdentifier(uuid: "180D")
    private static let peripheral = PeripheralIdentifier(uuid: UUID(), name: "Sensor")

    /// Every case, in the order of the codes.
    private static let all: [BluejayError] = [
        .bluetoothUnavailable, .multipleScanNotSupported, .multipleConnectNotSupported,
        .multipleDisconnectNotSupported, .connectionTimedOut, .notConnected,
        .missingService(service),
        .missingCharacteristic(CharacteristicIdentifier(uuid: "2A37", service: service)),
        .cancelled, .explicitDisconnect, .unexpectedDisconnect, .disconnectQueued,
        .listenTimedOut, .readFailed, .writeFailed, .missingData,
        .dataOutOfBounds(start: 1, length: 2, count: 2), .unexpectedPeripheral(peripheral),
        .allowDuplicatesInBackgroundNotSupported, .missingServiceIdentifiersInBackground,
        .backgroundTaskRunning, .multipleBackgroundTaskNotSupported, .indefiniteFlush, .stopped,
        .backgroundRestorationInProgress, .startupBackgroundTaskExpired, .multipleListenTrapped,
        .multipleListenReplaced, .tooMuchData(expected: 2, received: Data([0xAB, 0xCD, 0xEF])),
        .malformedUUID("heart"), .malformedAddress("C4"), .malformedText,
        .operationTimedOut("read of 2A37"),
        .attribute(.insufficientEncryption, message: "read of 2A37 refused"), .notPaired,
        .notSupported("extended advertising"), .connectionFailed("Page Timeout"),
        .peripheralNotFound(peripheral), .valueTooLong(length: 600, limit: 512),
        .daemon(name: "org.bluez.Error.Failed", message: "Operation failed"),
        .linkLost(.timeout), .pairingFailed("org.bluez.Error.AuthenticationFailed"),
        .blockedMainLoop,
    ]

    @Test("The codes are numbered from 1 in the order of the cases")
    func codes() {
        #expect(Self.all.map(\.errorCode) == Array(1...43))
        #expect(BluejayError.errorDomain == "Bluejay")
        #expect((BluejayError.notConnected as NSError).domain == "Bluejay")
        #expect((BluejayError.notConnected as NSError).code == 6)
    }

    @Test("Every case has a message of its own, which is its localised description")
    func messages() {
        let messages = Self.all.map(\.localizedDescription)
        #expect(Set(messages).count == Self.all.count)
        for (error, message) in zip(Self.all, messages) {
            #expect(error.errorDescription == message)
            #expect((error as any Error).localizedDescription == message)
            #expect("\(error)" == message)
            #expect(message != "unknown error")
            #expect(!message.hasSuffix("."))
        }
    }

    @Test("A message names what it is about")
    func messageContents() {
        #expect(
            BluejayError.dataOutOfBounds(start: 1, length: 2, count: 2).localizedDescription
                == "2 bytes from byte 1 cannot be taken from data of 2 bytes"
        )
        #expect(
            BluejayError.attribute(.insufficientEncryption, message: "read of 2A37 refused")
                .localizedDescription
                == "read of 2A37 refused: ATT 0x0F (insufficient encryption)"
        )
        #expect(
            BluejayError.daemon(name: "org.bluez.Error.Failed", message: "Operation failed")
                .localizedDescription == "org.bluez.Error.Failed: Operation failed"
        )
    }

    @Test("A message does not contain received bytes")
    func noValues() {
        let error = BluejayError.tooMuchData(expected: 2, received: Data([0xAB, 0xCD, 0xEF]))
        #expect(error.localizedDescription == "3 bytes were received where 2 were expected")
        #expect("\(error)" == error.localizedDescription)
    }

    @Test("Unavailability is matched with or without its reason")
    func unavailable() {
        let plain: any Error = BluejayError.bluetoothUnavailable
        let off: any Error = BluejayError.bluetoothUnavailable(.poweredOff)
        for error in [plain, off] {
            #expect(throws: BluejayError.self) { try raise(error) }
            do {
                try raise(error)
                Issue.record("nothing was thrown")
            } catch BluejayError.bluetoothUnavailable {
            } catch {
                Issue.record("not matched: \(error)")
            }
            #expect(number(error as? BluejayError) == 1)
        }
        guard case BluejayError.bluetoothUnavailable(let state) = off else {
            Issue.record("the reason is not matched")
            return
        }
        #expect(state == .poweredOff)
        #expect(BluejayError.bluetoothUnavailable == .bluetoothUnavailable(.unknown))
    }

    private func raise(_ error: any Error) throws { throw error }

    private func number(_ error: BluejayError?) -> Int {
        switch error {
        case .bluetoothUnavailable: 1
        case .notConnected: 2
        default: 3
        }
    }

    @Test("Every state has a sentence of its own, and a failure says what to do")
    func states() {
        let advice: [(BluetoothState, String)] = [
            (.unknown, "start()"), (.resetting, "wait"), (.poweredOn, "is on"),
            (.poweredOff, "bluetoothctl power on"), (.blocked, "rfkill unblock bluetooth"),
            (.noAdapter, "bluetoothctl list"), (.adapterNotFound("hci9"), "hci9"),
            (.serviceNotRunning, "systemctl start bluetooth"),
            (.busUnavailable("no such file"), "DBUS_SYSTEM_BUS_ADDRESS"),
            (.unauthorized("AccessDenied"), "adduser $USER bluetooth"),
        ]
        for (state, words) in advice {
            #expect(state.description.contains(words))
        }
        #expect(Set(advice.map(\.0.description)).count == advice.count)
        #expect(BluetoothState.busUnavailable("no such file").description.contains("no such file"))
        #expect(BluetoothState.unauthorized("AccessDenied").description.contains("AccessDenied"))
        #expect(
            BluejayError.bluetoothUnavailable(.blocked).localizedDescription
                .contains(BluetoothState.blocked.description)
        )
    }

    @Test(
        "A code of ATT is shown with its name",
        arguments: [
            (0x01, "ATT 0x01 (invalid handle)"), (0x0E, "ATT 0x0E (unlikely error)"),
            (0x13, "ATT 0x13 (value not allowed)"), (0x14, "ATT 0x14 (reserved)"),
            (0x80, "ATT 0x80 (defined by the peripheral)"), (0xA0, "ATT 0xA0 (reserved)"),
            (0xE0, "ATT 0xE0 (common profile code)"), (0xFF, "ATT 0xFF (out of range)"),
        ] as [(UInt8, String)]
    )
    func attributeCodes(code: UInt8, text: String) {
        #expect(ATTError(code: code).description == text)
    }
}
