import BluejayCore
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Errors")
struct BluejayErrorTests {
    private static let service = ServiceIdentifier(uuid: "180D")
    private static let peripheral = PeripheralIdentifier(uuid: UUID(), name: "Sensor")

    /// All cases, in the order of the codes.
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
        .operationTimedOut, .attribute(.insufficientEncryption), .notPaired,
        .notSupported("extended advertising"), .connectionFailed("Page Timeout"),
        .peripheralNotFound(peripheral), .valueTooLong(length: 600, limit: 512),
        .daemon(name: "org.bluez.Error.Failed", message: "Operation failed"),
        .linkLost(.timeout), .pairingFailed("org.bluez.Error.AuthenticationFailed"),
        .blockedMainLoop, .reservedUUID(BluetoothUUID(uint16: 0x1800)),
        .invalidProperties(BluetoothUUID(uint16: 0x2A37), "no properties given"),
        .alreadyAdded(BluetoothUUID(uint16: 0x180D)), .notAdded(BluetoothUUID(uint16: 0x180D)),
        .notSubscribable(BluetoothUUID(uint16: 0x2A38)),
        .advertisementTooLong(length: 32, limit: 31), .nameTooLong(length: 30, limit: 29),
        .invalidAdvertisement("the name holds a NUL character"), .alreadyAdvertising,
        .tooManyAdvertisements,
        .missingDescriptor(
            .userDescription(of: CharacteristicIdentifier(uuid: "2A37", service: service))
        ),
        .noPeripheralFound("-70 dBm or more"), .inUse("adapter hci0"),
        .pairingRejected,
        .notSubscribed(peripheral), .notAddressable(peripheral), .tooManyValues(limit: 256),
        .invalidPSM(0), .channelRefused, .psmInUse(0x80), .psmNotPermitted(0x25), .channelClosed,
        .channelFull(limit: 262_144), .systemError(5),
        .ambiguousCharacteristic([
            CharacteristicIdentifier(uuid: "2A37", service: service),
            CharacteristicIdentifier(
                uuid: "2A37",
                service: ServiceIdentifier(uuid: "180D", instance: 1),
                instance: 2
            ),
        ]),
    ]

    /// The pattern of each case, in the same order.
    private static let patterns: [BluejayError] = [
        .bluetoothUnavailable, .multipleScanNotSupported, .multipleConnectNotSupported,
        .multipleDisconnectNotSupported, .connectionTimedOut, .notConnected, .missingService,
        .missingCharacteristic, .cancelled, .explicitDisconnect, .unexpectedDisconnect,
        .disconnectQueued, .listenTimedOut, .readFailed, .writeFailed, .missingData,
        .dataOutOfBounds, .unexpectedPeripheral, .allowDuplicatesInBackgroundNotSupported,
        .missingServiceIdentifiersInBackground, .backgroundTaskRunning,
        .multipleBackgroundTaskNotSupported, .indefiniteFlush, .stopped,
        .backgroundRestorationInProgress, .startupBackgroundTaskExpired, .multipleListenTrapped,
        .multipleListenReplaced, .tooMuchData, .malformedUUID, .malformedAddress, .malformedText,
        .operationTimedOut, .attribute, .notPaired, .notSupported, .connectionFailed,
        .peripheralNotFound, .valueTooLong, .daemon, .linkLost, .pairingFailed, .blockedMainLoop,
        .reservedUUID, .invalidProperties, .alreadyAdded, .notAdded, .notSubscribable,
        .advertisementTooLong, .nameTooLong, .invalidAdvertisement, .alreadyAdvertising,
        .tooManyAdvertisements, .missingDescriptor, .noPeripheralFound, .inUse, .pairingRejected,
        .notSubscribed, .notAddressable, .tooManyValues, .invalidPSM, .channelRefused, .psmInUse,
        .psmNotPermitted, .channelClosed, .channelFull, .systemError,
        .ambiguousCharacteristic,
    ]

    @Test("The codes are numbered from 1 in the order of the cases")
    func codes() {
        #expect(Self.all.map(\.errorCode) == Array(1...68))
        #expect(BluejayError.errorDomain == "Bluejay")
        #expect((BluejayError.notConnected as NSError).domain == "Bluejay")
        #expect((BluejayError.notConnected as NSError).code == 6)
    }

    @Test("A pattern without values matches its error with any values, and no other error")
    func matched() {
        for (index, pattern) in Self.patterns.enumerated() {
            #expect(Self.all.indices.filter { pattern ~= Self.all[$0] } == [index])
        }
    }

    @Test("Each kind of error has its own message, with and without values")
    func messages() {
        for errors in [Self.all, Self.patterns] {
            let messages = errors.map(\.localizedDescription)
            #expect(Set(messages).count == errors.count)
            for (error, message) in zip(errors, messages) {
                #expect(error.errorDescription == message)
                #expect((error as any Error).localizedDescription == message)
                #expect("\(error)" == message)
                #expect(!message.hasPrefix("error "), "\(error.code.rawValue)")
                #expect(!message.hasSuffix("."))
            }
        }
    }

    /// An entry of the pages that list the errors.
    private struct Entry {
        let page: String
        /// The heading, in lower case, as links end with it.
        let anchor: String
        let name: String
        let code: Int
        /// `nil` for an error that the library never reports.
        let remedy: String?
        let retry: String
    }

    private static func text(of page: String) throws -> String {
        try String(contentsOf: repositoryFile("Documentation/\(page)"), encoding: .utf8)
    }

    /// The entries of all pages, in the order of the codes.
    private static func entries() throws -> [Entry] {
        let pages = ["ConnectionErrors.md", "ValueErrors.md", "ServerErrors.md"]
        return try pages.flatMap { page in
            let text = try Self.text(of: page)
            let pattern =
                #/(?m)^### `(\w+)`\n\n(?:.+\n)+\n- \*\*Remedy\*\*: ((?:.+\n)+?)- \*\*Retry\*\*: (.+)\n- \*\*Code\*\*: (\d+)$/#
            let sections = text.matches(of: pattern).map { match in
                Entry(
                    page: page,
                    anchor: match.output.1.lowercased(),
                    name: String(match.output.1),
                    code: Int(match.output.4) ?? 0,
                    remedy: String(match.output.2),
                    retry: String(match.output.3)
                )
            }
            #expect(sections.count == text.matches(of: #/(?m)^### /#).count, "\(page)")
            let rows = text.matches(of: #/(?m)^\| `(\w+)` \| (\w+) \| (\d+) \|$/#).map { match in
                Entry(
                    page: page,
                    anchor: "unused",
                    name: String(match.output.1),
                    code: Int(match.output.3) ?? 0,
                    remedy: nil,
                    retry: String(match.output.2)
                )
            }
            #expect(rows.isEmpty || text.contains("\n## Unused\n"))
            return sections + rows
        }
        .sorted { $0.code < $1.code }
    }

    @Test("The error pages list each error with its code, its remedy and whether to retry")
    func pages() throws {
        let entries = try Self.entries()
        #expect(entries.map(\.code) == Self.all.map(\.errorCode))
        for (entry, (error, pattern)) in zip(entries, zip(Self.all, Self.patterns)) {
            #expect("\(error.kind)".prefix { $0 != "(" } == entry.name)
            switch entry.retry {
            case "yes": #expect(pattern.isRetryable, "\(entry)")
            case "no": #expect(!pattern.isRetryable && !error.isRetryable, "\(entry)")
            default: #expect(entry.retry.hasPrefix("depends on the "), "\(entry)")
            }
        }
        #expect(
            entries.filter { $0.retry.hasPrefix("depends") }.map(\.name) == [
                "bluetoothUnavailable", "unexpectedDisconnect", "attribute", "connectionFailed",
                "daemon", "linkLost",
            ]
        )
        // `ErrorRemedyTests` checks that the library never reports these.
        #expect(
            entries.filter { $0.remedy == nil }.map(\.name) == [
                "readFailed", "writeFailed", "missingData",
                "allowDuplicatesInBackgroundNotSupported",
                "missingServiceIdentifiersInBackground", "startupBackgroundTaskExpired",
            ]
        )
    }

    @Test("The first error page links to the entry of each error, in the order of the codes")
    func pageIndex() throws {
        let rows = try Self.text(of: "Errors.md")
            .matches(of: #/(?m)^\| (\d+) \| \[`(\w+)`\]\((.+?)#(.+?)\) \|$/#)
            .map { [$0.output.1, $0.output.2, $0.output.3, $0.output.4].map(String.init) }
        #expect(
            try rows == Self.entries().map { ["\($0.code)", $0.name, $0.page, $0.anchor] }
        )
    }

    @Test("The error page and the message name the same remedy for a queued disconnection")
    func queuedDisconnection() throws {
        let entry = try Self.entries().first { $0.code == 12 }
        #expect(entry?.remedy?.contains("call `connect` first") == true)
        #expect(BluejayError.disconnectQueued.description.contains("connect again first"))
    }

    @Test("A message names the operation, the cause once and the remedy")
    func messageContents() throws {
        let heartRate = CharacteristicIdentifier(uuid: "2A37", service: Self.service)
        let sensor = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: "Sensor"
        )
        let refused = BluejayError.attribute(.insufficientEncryption)
            .withBlueZError(
                name: "org.bluez.Error.Failed",
                text: "Operation failed with ATT error: 0x0f"
            )
            .during(.read, of: heartRate, peripheral: sensor)
        #expect(
            refused.description == "read of 2A37 of Sensor (C4:7C:8D:6A:1F:02): the peripheral "
                + "rejected the request with ATT 0x0F (insufficient encryption); pair first, for "
                + "example with pair()"
        )
        #expect(
            BluejayError.connectionTimedOut.during(.connect, peripheral: sensor).description
                == "connect to Sensor (C4:7C:8D:6A:1F:02): the connection attempt timed out; "
                + "check that the peripheral is on and in range"
        )
        #expect(
            BluejayError.peripheralNotFound(sensor).during(.connect, peripheral: sensor).description
                == "connect: peripheral Sensor (C4:7C:8D:6A:1F:02) is unknown to BlueZ and was "
                + "not found; check that it is on and in range"
        )
        #expect(BluejayError.cancelled.during(.scan).description == "scan: cancelled")
        #expect(
            BluejayError.daemon(name: "org.bluez.Error.Failed", message: "No such thing")
                .description == "BlueZ returned org.bluez.Error.Failed: No such thing"
        )
    }

    @Test("A message names a descriptor, and an instance other than the first")
    func descriptorMessage() {
        let report = CharacteristicIdentifier(uuid: "2A4D", service: Self.service, instance: 1)
        let text = DescriptorIdentifier.userDescription(of: report)
        let error = BluejayError.cancelled.during(.write, of: report, descriptor: text)
        #expect(error.description == "write to 2901 of 2A4D instance 1: cancelled")
        #expect(error.descriptor == text)
        #expect(
            BluejayError.notConnected.during(.read, of: report).description
                .hasPrefix("read of 2A4D instance 1: ")
        )
        let missing = BluejayError.missingDescriptor(text)
        #expect(missing.descriptor == text)
        #expect(missing.characteristic == report)
        #expect(missing.service == Self.service)
    }

    @Test("The properties of an error contain its context, and the first value of each is kept")
    func properties() {
        let heartRate = CharacteristicIdentifier(uuid: "2A37", service: Self.service)
        let error = BluejayError.attribute(.valueNotAllowed)
            .withBlueZError(name: "org.bluez.Error.Failed", text: "ATT")
            .during(.write, of: heartRate, peripheral: Self.peripheral)
            .during(.connect, of: CharacteristicIdentifier(uuid: "2A38", service: Self.service))
        #expect(error.operation == .write)
        #expect(error.characteristic == heartRate)
        #expect(error.service == Self.service)
        #expect(error.peripheral == Self.peripheral)
        #expect(error.attError == .valueNotAllowed)
        #expect(error.blueZName == "org.bluez.Error.Failed")
        #expect(error.blueZText == "ATT")
        #expect(error.code == .attribute)
        #expect(BluejayError.missingService(Self.service).service == Self.service)
        #expect(BluejayError.missingCharacteristic(heartRate).characteristic == heartRate)
        #expect(BluejayError.missingCharacteristic(heartRate).service == Self.service)
        #expect(BluejayError.peripheralNotFound(Self.peripheral).peripheral == Self.peripheral)
        #expect(BluejayError.bluetoothUnavailable(.blocked).bluetoothState == .blocked)
        #expect(BluejayError.linkLost(.timeout).disconnectReason == .timeout)
        #expect(BluejayError.daemon(name: "n", message: "t").blueZName == "n")
        let plain = BluejayError.notConnected
        #expect(plain.operation == nil && plain.peripheral == nil && plain.blueZName == nil)
    }

    @Test("Errors with the same cause are equal, whatever their context")
    func equality() {
        let plain = BluejayError.notConnected
        let named = plain.during(.read, peripheral: Self.peripheral)
        #expect(plain == named)
        #expect(plain.hashValue == named.hashValue)
        #expect(BluejayError.attribute(.invalidHandle) != .attribute(.readNotPermitted))
    }

    @Test("Errors caused by the radio or by other calls are retryable; refusals are not")
    func retrying() {
        let again = Self.all.filter(\.isRetryable).map(\.code)
        #expect(
            Set(again) == [
                .bluetoothUnavailable, .multipleScanNotSupported,
                .multipleDisconnectNotSupported, .connectionTimedOut, .notConnected,
                .unexpectedDisconnect, .disconnectQueued, .listenTimedOut, .missingData,
                .backgroundTaskRunning, .multipleBackgroundTaskNotSupported,
                .backgroundRestorationInProgress, .startupBackgroundTaskExpired,
                .operationTimedOut, .connectionFailed, .peripheralNotFound, .linkLost,
                .tooManyAdvertisements, .noPeripheralFound, .inUse, .tooManyValues,
                .channelRefused, .psmInUse, .channelFull,
            ]
        )
        let values: [(BluejayError, Bool)] = [
            (.bluetoothUnavailable(.resetting), true), (.bluetoothUnavailable(.poweredOff), false),
            (.bluetoothUnavailable(.noAdapter), false), (.attribute(.insufficientResources), true),
            (.attribute(.writeNotPermitted), false), (.linkLost(.authentication), false),
            (.daemon(name: "org.bluez.Error.InProgress", message: ""), true),
            (.daemon(name: "org.bluez.Error.Busy", message: ""), true),
            (.daemon(name: "org.bluez.Error.Failed", message: ""), false),
        ]
        for (error, isWorth) in values { #expect(error.isRetryable == isWorth, "\(error)") }
    }

    @Test("Each message has a remedy, except for errors that the program caused")
    func remedies() throws {
        let without: Set<BluejayError.Code> = [
            .cancelled, .explicitDisconnect, .multipleListenReplaced,
            // For source compatibility only.
            .readFailed, .writeFailed, .missingData, .allowDuplicatesInBackgroundNotSupported,
            .missingServiceIdentifiersInBackground,
            // These name their cause, which is the remedy.
            .bluetoothUnavailable, .indefiniteFlush, .invalidProperties, .invalidAdvertisement,
        ]
        for error in Self.all where !without.contains(error.code) {
            #expect(error.description.contains("; "), "\(error.errorCode): \(error)")
        }
    }

    @Test("A failed connection mentions lost keys only for a paired peripheral")
    func lostKeys() {
        for cause in ["abort-by-local", "abort-by-remote"] {
            let text = "org.bluez.Error.Failed: le-connection-\(cause)"
            for error in [BluejayError.connectionFailed(text), .unexpectedDisconnect] {
                let failed = error.withCause(text)
                #expect(!failed.description.contains("keys"))
                #expect(failed.withBond(true).description.contains("lost the keys of the pairing"))
                #expect(failed.withBond(true).description.contains("forget() while disconnected"))
            }
        }
        let absent = BluejayError.unexpectedDisconnect.withBond(true).withCause(
            "org.bluez.Error.Failed: le-connection-concurrent-connection-limit"
        )
        #expect(!absent.description.contains("keys"))
    }

    @Test(
        "The description names a full adapter for each error code of bluetoothd",
        .pitfall(.fullController)
    )
    func fullAdapter() {
        for code in [
            "le-connection-concurrent-connection-limit", "br-connection-sync-connect-limit",
        ] {
            let text = "org.bluez.Error.Failed: \(code)"
            let error = BluejayError.unexpectedDisconnect.withCause(text)
            #expect(error.description.contains("as many connections as it can hold"))
            #expect(!error.description.contains("Classic"))
        }
    }

    @Test("A message contains no received bytes")
    func noValues() {
        let error = BluejayError.tooMuchData(expected: 2, received: Data([0xAB, 0xCD, 0xEF]))
        #expect(
            error.localizedDescription
                == "received 3 bytes, expected 2; check the length of the messages"
        )
        #expect("\(error)" == error.localizedDescription)
    }

    @Test("A pattern without its value matches any value, in catch, case and on an optional")
    func patterns() {
        let service: any Error = BluejayError.missingService(Self.service).during(.read)
        #expect(caught(service) == "some service")
        #expect(caught(BluejayError.bluetoothUnavailable(.poweredOff)) == "unavailable")
        #expect(caught(BluejayError.bluetoothUnavailable) == "unavailable")
        #expect(caught(BluejayError.notConnected.during(.read)) == "not connected")
        #expect(caught(BluejayError.attribute(.invalidHandle)) == "invalid handle")
        #expect(caught(BluejayError.attribute(.invalidOffset)) == "some ATT error")
        #expect(caught(CancellationError()) == "another")
        #expect(number(service as? BluejayError) == 3)
        #expect(number(.bluetoothUnavailable(.blocked)) == 1)
        #expect(number(nil) == 4)
        guard
            case .failure(BluejayError.notConnected) = Result<Void, any Error>.failure(
                BluejayError.notConnected.during(.read)
            )
        else {
            Issue.record("not matched inside a result")
            return
        }
        #expect(BluejayError.bluetoothUnavailable == .bluetoothUnavailable(.unknown))
    }

    private func caught(_ error: any Error) -> String {
        do {
            throw error
        } catch BluejayError.missingService(ServiceIdentifier(uuid: "180F")) {
            return "battery"
        } catch BluejayError.missingService {
            return "some service"
        } catch BluejayError.bluetoothUnavailable {
            return "unavailable"
        } catch BluejayError.notConnected {
            return "not connected"
        } catch BluejayError.attribute(.invalidHandle) {
            return "invalid handle"
        } catch let error as BluejayError where error.attError != nil {
            return "some ATT error"
        } catch {
            return "another"
        }
    }

    private func number(_ error: BluejayError?) -> Int {
        switch error {
        case .bluetoothUnavailable: 1
        case .notConnected: 2
        case .missingService?: 3
        default: 4
        }
    }

    @Test("Each state has its own description, and a failed state names the remedy")
    func states() {
        let advice: [(BluetoothState, String)] = [
            (.unknown, "start()"), (.resetting, "wait"), (.poweredOn, "is on"),
            (.poweredOff, "bluetoothctl power on"), (.blocked, "rfkill unblock bluetooth"),
            (.noAdapter, "bluetoothctl list"), (.adapterNotFound("hci9"), "hci9"),
            (.serviceNotRunning, "systemctl start bluetooth"),
            (.serviceNotResponding, "systemctl restart bluetooth"),
            (.busUnavailable("no such file"), "DBUS_SYSTEM_BUS_ADDRESS"),
            (.unauthorized("AccessDenied"), "bluetooth.conf in /etc/dbus-1/system.d"),
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
        "An ATT code is shown with its name",
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
