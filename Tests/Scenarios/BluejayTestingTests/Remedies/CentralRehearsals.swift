import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation

/// The errors of a central.
extension Rehearsal {
    static let bluetoothUnavailable = Rehearsal("run `bluetoothctl power on`", { $0.adapters = 1 })
    { stage in
        try await stage.connect()
        try await stage.setPowered(false)
        try await stage.read()
    } remedy: { stage in
        try await stage.setPowered(true)
        try await stage.wait("the reconnection") { stage.bluejay.isConnected }
        try await stage.read()
    }

    static let secondScan = Rehearsal("call stopScanning() first") { stage in
        try await stage.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { for try await _ in stage.bluejay.scan(duration: 20) {} }
            }
            try await group.next()
        }
    } remedy: { stage in
        await stage.bluejay.stopScanning()
        _ = try await stage.find()
    }

    static let secondConnect = Rehearsal("to connect again, call disconnect() first") { stage in
        try await stage.connect()
        try await stage.connectAgain()
    } remedy: { stage in
        try await stage.bluejay.disconnect()
        try await stage.connectAgain()
        try await stage.read()
    }

    static let secondDisconnect = Rehearsal("wait for its completion") { stage in
        try await stage.connect()
        stage.beginDisconnect()
        try await stage.bluejay.disconnect()
    } remedy: { stage in
        try await stage.endPending()
        try await stage.connect()
        try await stage.bluejay.disconnect()
    }

    static let connectionTimedOut = Rehearsal("check that the peripheral is on and in range") {
        stage in
        try stage.gadget { $0.leaveRange() }
        try await stage.connect()
    } remedy: { stage in
        try stage.gadget { $0.returnToRange() }
        try await stage.connect()
    }

    static let notConnected = Rehearsal("call connect() and wait for its completion") { stage in
        try await stage.start()
        try await stage.read()
    } remedy: { stage in
        try await stage.connect()
        try await stage.read()
    }

    static let missingService = Rehearsal("see `services`") { stage in
        try await stage.connect()
        _ = try await stage.bluejay.batteryLevel()
    } remedy: { stage in
        try await stage.readFirstListed()
    }

    static let missingCharacteristic = Rehearsal("see `services`") { stage in
        try await stage.connect()
        try await stage.read("FFE9")
    } remedy: { stage in
        try await stage.readFirstListed()
    }

    static let ambiguousCharacteristic = Rehearsal("name the service") { stage in
        try stage.gadget {
            $0.addService("FFD0", [ScriptedCharacteristic("FFE1", ["read"], .value([1]))])
        }
        try await stage.connect()
        _ = try await stage.bluejay.read(from: "FFE1")
    } remedy: { stage in
        try await stage.read()
    }

    static let missingDescriptor = Rehearsal("see `services`") { stage in
        try await stage.connect()
        _ = try await stage.bluejay.read(
            from: DescriptorIdentifier.userDescription(of: .gadget("FFE3"))
        )
    } remedy: { stage in
        let listed = stage.listed.first { $0.descriptors.contains(BluetoothUUID(uint16: 0x2901)) }
        guard let listed else { throw Unhelpful(text: "`services` lists no descriptor") }
        _ = try await stage.bluejay.read(
            from: DescriptorIdentifier.userDescription(of: listed.identifier)
        )
    }

    static let cancelled = Rehearsal(nil) { stage in
        try await stage.connect()
        try await stage.beginHeldRead()
        await stage.bluejay.cancelEverything(shouldDisconnect: false)
        try await stage.endPending()
    } remedy: { stage in
        try stage.gadget { $0.release(.read, of: "FFE1") }
        try await stage.read()
    }

    static let explicitDisconnect = Rehearsal(nil) { stage in
        try await stage.connect()
        try await stage.beginHeldRead()
        try await stage.bluejay.disconnect(immediate: true)
        try await stage.endPending()
    } remedy: { stage in
        try stage.gadget { $0.release(.read, of: "FFE1") }
        try await stage.connect()
        try await stage.read()
    }

    static let unexpectedDisconnect = Rehearsal(
        "check that it is on, in range and connected to no other device, and try again"
    ) { stage in
        try stage.refuse("Connect", "Failed", "le-connection-abort-by-local")
        try await stage.connect()
    } remedy: { stage in
        try stage.accept("Connect")
        try await stage.connect()
    }

    static let disconnectQueued = Rehearsal("connect again first") { stage in
        try await stage.connect()
        stage.beginDisconnect()
        try await stage.read()
    } remedy: { stage in
        try await stage.connectAgain()
        try await stage.read()
    }

    static let listenTimedOut = Rehearsal("try again, or use a longer timeout") { stage in
        try await stage.connect()
        try await stage.listenInTask()
    } remedy: { stage in
        try stage.gadget { $0.setBehavior(.sends([[1]], everySeconds: 2), of: "FFE1") }
        try await stage.listenInTask(within: 5)
        try stage.gadget { $0.setBehavior(.sends([[1]], everySeconds: 0.5), of: "FFE1") }
        try await stage.listenInTask()
    }

    static let dataOutOfBounds = Rehearsal("decode another type, or read it as Data") { stage in
        try await stage.connect()
        _ = try await stage.bluejay.read(from: .gadget("FFE1"), as: UInt32.self)
    } remedy: { stage in
        _ = try await stage.bluejay.read(from: .gadget("FFE1"), as: UInt8.self)
        try await stage.read()
    }

    static let unexpectedPeripheral = Rehearsal("scan for it first") { stage in
        try await stage.start()
        try await stage.bluejay.connect(PeripheralIdentifier(uuid: UUID(), name: "Gadget"))
    } remedy: { stage in
        try await stage.bluejay.connect(stage.find())
    }

    static let multipleListenTrapped = Rehearsal(
        "end it first, or install it with .replaceable"
    ) { stage in
        try await stage.connect()
        stage.listen()
        try await stage.sleep(1)
        for try await _ in stage.bluejay.values(of: .gadget("FFE1"), as: UInt8.self) {}
    } remedy: { stage in
        try await stage.bluejay.endListen(to: .gadget("FFE1"))
        stage.listen(.replaceable)
        try await stage.sleep(1)
        try await stage.receiveOwnValue()
    }

    static let multipleListenReplaced = Rehearsal(nil) { stage in
        try await stage.connect()
        stage.begin { end in
            stage.listen(.replaceable) { (result: ReadResult<UInt8>) in
                if case .failure(let error) = result { end(error) }
            }
        }
        try await stage.sleep(1)
        stage.listen(.replaceable)
        try await stage.endPending()
    } remedy: { stage in
        try await stage.sleep(1)
        try await stage.bluejay.endListen(to: .gadget("FFE1"))
        try await stage.receiveOwnValue()
    }

    static let malformedUUID = Rehearsal("use 4, 8 or 36 characters, such as 180D") { stage in
        try await stage.connect()
        try await stage.read("heart")
    } remedy: { stage in
        for uuid in ["FFE1", "0000FFE1", "0000FFE1-0000-1000-8000-00805F9B34FB"] {
            try await stage.read(uuid)
        }
    }

    static let malformedAddress = Rehearsal(
        "use six pairs of hexadecimal digits, such as C4:7C:8D:6A:1F:02"
    ) { stage in
        _ = try PeripheralIdentifier(address: "C4-7C", isRandomAddress: true, name: nil)
    } remedy: { stage in
        let address = "C4:7C:8D:6A:1F:02"
        _ = try PeripheralIdentifier(address: address, isRandomAddress: true, name: nil)
    }

    static let malformedText = Rehearsal("read them as Data") { stage in
        try await stage.connect()
        _ = try await stage.bluejay.read(from: .gadget("FFE3"), as: String.self)
    } remedy: { stage in
        try await stage.read("FFE3")
    }

    static let operationTimedOut = Rehearsal("try again, or use a longer timeout") { stage in
        try await stage.connect()
        try stage.gadget { $0.setBehavior(.repliesLate([7], afterSeconds: 3), of: "FFE1") }
        _ = try await stage.bluejay.read(from: .gadget("FFE1"), timeout: .seconds(2))
    } remedy: { stage in
        _ = try await stage.bluejay.read(from: .gadget("FFE1"), timeout: .seconds(10))
        try stage.gadget { $0.setBehavior(.value([7]), of: "FFE1") }
        _ = try await stage.bluejay.read(from: .gadget("FFE1"), timeout: .seconds(2))
    }

    static let attribute = Rehearsal("see `properties` for the supported operations") { stage in
        try await stage.connect()
        try stage.gadget { $0.setBehavior(.refuses(0x02), of: "FFE3") }
        try await stage.read("FFE3")
    } remedy: { stage in
        try await stage.readFirstListed()
    }

    static let unanswered = Rehearsal(
        "did not answer within 30 s, so bluetoothd ends the connection (ATT 0x0E); connect again"
    ) { stage in
        try await stage.connect()
        try stage.gadget { $0.setBehavior(.neverReplies, of: "FFE1") }
        try await stage.read()
    } remedy: { stage in
        try stage.gadget { $0.setBehavior(.value([7]), of: "FFE1") }
        try await stage.sleep(5)
        if !stage.bluejay.isConnected { try await stage.connect() }
        try await stage.read()
    }

    static let notPaired = Rehearsal("call pair()") { stage in
        try await stage.connect()
        await stage.setPairingHandler { $0.reject() }
        try await stage.read("FFE2")
    } remedy: { stage in
        await stage.setPairingHandler { $0.accept() }
        try await stage.bluejay.pair()
        try await stage.read("FFE2")
    }

    static let notSupported = Rehearsal("`services` and `adapters` show what is supported") {
        stage in
        try await stage.connect()
        try await stage.write([1], "FFE3")
    } remedy: { stage in
        let listed = stage.listed.first { $0.properties.contains(.write) }
        guard let listed else { throw Unhelpful(text: "`services` lists nothing to write to") }
        try await stage.bluejay.write(to: listed.identifier, value: Data([1]))
    }

    static let connectionFailed = Rehearsal(
        "check that it is on, in range and connected to no other device, and try again"
    ) { stage in
        try await stage.start()
        try stage.refuse("Connect", "Failed", "le-connection-abort-by-local")
        try await stage.reason { try? await stage.connect() }
    } remedy: { stage in
        try stage.accept("Connect")
        try await stage.connect()
    }

    static let peripheralNotFound = Rehearsal("check that it is on and in range") { stage in
        try await stage.start()
        try stage.gadget { $0.leaveRange() }
        try await stage.bluejay.forget(stage.identifier)
    } remedy: { stage in
        try stage.gadget { $0.returnToRange() }
        try await stage.bluejay.forget(stage.find())
    }

    static let valueTooLong = Rehearsal("send it in parts") { stage in
        try await stage.connect()
        try await stage.write([UInt8](repeating: 1, count: 600))
    } remedy: { stage in
        let limit = try await stage.bluejay.maximumWriteValueLength(for: .withResponse)
        for part in [limit, 600 - limit] {
            try await stage.write([UInt8](repeating: 1, count: part))
        }
    }

    static let daemon = Rehearsal("wait for it, in this and in other programs, and try again") {
        stage in
        try await stage.connect()
        try stage.refuse("ReadValue", "InProgress")
        try await stage.read()
    } remedy: { stage in
        try stage.accept("ReadValue")
        try await stage.read()
    }

    static let linkLost = Rehearsal("wait for the reconnection, or call connect() if none follows")
    {
        stage in
        try await stage.connect()
        try await stage.reason { try stage.gadget { $0.dropLink() } }
    } remedy: { stage in
        try await stage.wait("the reconnection") { stage.bluejay.isConnected }
        try await stage.read()
    }

    static let pairingFailed = Rehearsal("check the passkey") { stage in
        try stage.gadget { $0.pairing = .passkey(123_456) }
        try await stage.connect()
        await stage.setPairingHandler { $0.accept(passkey: 1) }
        try await stage.bluejay.pair()
    } remedy: { stage in
        await stage.setPairingHandler { $0.accept(passkey: 123_456) }
        if !stage.bluejay.isConnected { try await stage.connect() }
        try await stage.bluejay.pair()
        try await stage.read("FFE2")
    }

    static let noPeripheralFound = Rehearsal("check that it is on, in range and advertising") {
        stage in
        try await stage.start()
        try stage.gadget { $0.setAdvertising(false) }
        try await stage.bluejay.connect(toFirst: .namePrefix("Gadget"), within: 5)
    } remedy: { stage in
        try stage.gadget { $0.setAdvertising(true) }
        try await stage.bluejay.connect(toFirst: .namePrefix("Gadget"), within: 5)
    }

    static let inUse = Rehearsal(
        "disconnect, stop scanning, let pending calls finish and try again"
    ) { stage in
        try await stage.connect()
        try await stage.bluejay.useAdapter("hci1")
    } remedy: { stage in
        try await stage.bluejay.disconnect()
        await stage.bluejay.stopScanning()
        _ = try await stage.bluejay.useAdapter("hci1")
    }

    static let pairingRejected = Rehearsal("accept it in the pairing handler, within 25 s") {
        stage in
        try stage.gadget { $0.pairing = .confirmation(1, isAgreed: true) }
        try await stage.connect()
        await stage.setPairingHandler { $0.reject() }
        try await stage.bluejay.pair()
    } remedy: { stage in
        await stage.setPairingHandler { $0.accept() }
        if !stage.bluejay.isConnected { try await stage.connect() }
        try await stage.bluejay.pair()
        try await stage.read("FFE2")
    }

    static let pairingUnanswered = Rehearsal("accept it in the pairing handler, within 25 s") {
        stage in
        try stage.gadget { $0.pairing = .confirmation(1, isAgreed: true) }
        try await stage.connect()
        await stage.setPairingHandler { reply in reply.onEnd = { _ = reply } }
        try await stage.bluejay.pair()
    } remedy: { stage in
        await stage.setPairingHandler { $0.accept() }
        if !stage.bluejay.isConnected { try await stage.connect() }
        try await stage.bluejay.pair()
        try await stage.read("FFE2")
    }
}

extension RehearsalStage {
    /// The characteristics of the gadget's service that `services` lists.
    var listed: [PeripheralCharacteristic] {
        bluejay.services.first { $0.identifier == .gadget }?.characteristics ?? []
    }

    /// Reads the first readable characteristic that `services` lists.
    func readFirstListed() async throws {
        let listed = listed.first { $0.properties.contains(.read) }
        guard let listed else { throw Unhelpful(text: "`services` lists nothing to read") }
        _ = try await bluejay.read(from: listed.identifier)
    }

    /// Listens until the listen is ended.
    func listen(
        _ option: MultipleListenOption = .trap,
        _ completion: @escaping (ReadResult<UInt8>) -> Void = { _ in }
    ) {
        bluejay.listen(
            to: .gadget("FFE1"),
            multipleListenOption: option,
            completion: completion
        )
    }

    /// Writes a value that the gadget echoes, and waits for it.
    func receiveOwnValue() async throws {
        begin { end in
            listen(.replaceable) { result in
                if case .success(42) = result { end(nil) }
            }
        }
        try await sleep(1)
        try await write([42])
        try await endPending()
    }

    func listenInTask(within limit: TimeInterval = 1) async throws {
        try await bluejay.run { peripheral in
            try peripheral.listen(to: .gadget("FFE1"), timeout: .seconds(limit)) {
                (_: UInt8) in .done
            }
        }
    }
}
