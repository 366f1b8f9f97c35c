import Bluejay
import BluejayAsync
import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("A characteristic identified by its UUID only", .timeLimit(.minutes(15)))
struct UUIDAloneTests {
    /// Returns a stage whose gadget has `FFE1` twice: in two services, or in one.
    private func stage(twiceInOne: Bool) async throws -> AsyncStage {
        let stage = try await AsyncStage()
        try await stage.gadget { gadget in
            let characteristic = ScriptedCharacteristic("FFE1", ["read", "notify"], .value([1]))
            let other = ScriptedCharacteristic("FFE1", ["read", "notify"], .value([2]))
            if twiceInOne {
                gadget.addService("FFE0", [characteristic, other])
            } else {
                gadget.addService("FFE0", [characteristic])
                gadget.addService("FFF0", [other])
            }
        }
        try await stage.bluejay.connect(stage.bluejay.find(), timeout: .seconds(10))
        return stage
    }

    @Test("Reads, writes and listens find the only characteristic with the UUID")
    func found() async throws {
        let stage = try await AsyncStage.connected()
        #expect(try await stage.bluejay.read(from: "2A38") == UInt8(1))
        #expect(
            try await stage.bluejay.read(from: "00002a38-0000-1000-8000-00805f9b34fb") == Data([1])
        )
        try await stage.bluejay.write(to: "2A39", value: UInt8(5))
        #expect(try await stage.gadget { $0.writes.map(\.value) } == [[5]])
        let uuid = "2A38"
        let read: UInt8 = try await stage.bluejay.read(from: CharacteristicIdentifier(uuid: uuid))
        #expect(read == 1)
        let values = stage.bluejay.values(of: "2A37", as: UInt8.self)
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([7])
        for try await value in values {
            #expect(value == 7)
            break
        }
        let read2A38: UInt8 = try await stage.bluejay.run { try $0.read(from: "2A38") }
        #expect(read2A38 == 1)
    }

    @Test("Listens with and without the service refer to the same characteristic")
    func oneListen() async throws {
        let stage = try await AsyncStage.connected()
        let values = stage.bluejay.values(of: "2A37")
        #expect(try await stage.listenerCount() == 1)
        #expect(try await stage.bluejay.isListening(to: measurement))
        #expect(try await stage.bluejay.isListening(to: "2A37"))
        #expect(try await !stage.bluejay.isListening(to: "2A38"))
        let second = await drain(stage.bluejay.values(of: measurement))
        #expect(second.reason == .multipleListenTrapped)
        try await stage.bluejay.endListen(to: measurement)
        #expect(try await !stage.bluejay.isListening(to: "2A37"))
        #expect(await drain(values).elements.isEmpty)
        let again = stage.bluejay.values(of: measurement)
        #expect(try await stage.listenerCount() == 1)
        try await stage.bluejay.endListen(to: "2A37")
        #expect(try await stage.listenerCount() == 0)
        #expect(await drain(again).elements.isEmpty)
    }

    @Test("A background task can listen by UUID only")
    func backgroundTask() async throws {
        let stage = try await AsyncStage.connected()
        try await stage.gadget { $0.setBehavior(.sends([[5]], everySeconds: 1), of: "2A37") }
        let byte: UInt8 = try await stage.bluejay.run { peripheral in
            var received: UInt8 = 0
            try peripheral.listen(to: "2A37", timeout: .seconds(10)) { (value: UInt8) in
                received = value
                return .done
            }
            return received
        }
        #expect(byte == 5)
        #expect(try await stage.listenerCount() == 0)
    }

    @Test("Listens queued for the next connection refer to the same characteristic")
    func beforeConnection() async throws {
        let stage = try await AsyncStage.connected()
        let log = LockedValue<[String]>([])
        let gadget = try #require(stage.bluejay.connectedPeripheral)
        await stage.onLoop { bluejay in
            bluejay.disconnect { _ in }
            bluejay.connect(gadget) { _ in }
            for characteristic in ["2A37", measurement] {
                let name = characteristic == measurement ? "with service" : "UUID only"
                bluejay.listen(to: characteristic) { (result: ReadResult<UInt8>) in
                    switch result {
                    case .success(let value): log.update { $0.append("\(name) \(value)") }
                    case .failure(let error):
                        let code = (error as? BluejayError)?.errorCode ?? 0
                        log.update { $0.append("\(name) error \(code)") }
                    }
                }
            }
        }
        #expect(try await stage.listenerCount() == 1)
        try await stage.send([9])
        try await stage.settle()
        try await stage.bluejay.endListen(to: measurement)
        #expect(try await stage.listenerCount() == 0)
        // The service was not known when the listens were requested, so the second one is the first to be one
        // to the characteristic.
        #expect(log.value == ["UUID only error 27", "with service 9"])
    }

    @Test(
        "If several characteristics have the UUID, the error lists them",
        arguments: [true, false]
    )
    func ambiguous(twiceInOne: Bool) async throws {
        let stage = try await stage(twiceInOne: twiceInOne)
        let first = CharacteristicIdentifier(uuid: "FFE1", service: "FFE0")
        let other =
            twiceInOne
            ? CharacteristicIdentifier(uuid: "FFE1", service: "FFE0", instance: 1)
            : CharacteristicIdentifier(uuid: "FFE1", service: "FFF0")
        let text = twiceInOne ? "FFE0/FFE1, FFE0/FFE1#1" : "FFE0/FFE1, FFF0/FFE1"
        let bluejay = stage.bluejay
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await bluejay.read(from: "FFE1") },
            { try await bluejay.write(to: "FFE1", value: UInt8(1)) },
            { for try await _ in bluejay.values(of: "FFE1") {} },
            { try await bluejay.endListen(to: "FFE1") },
            { _ = try await bluejay.read(from: .userDescription(of: "FFE1")) as Data },
            { try await bluejay.run { _ = try $0.read(from: "FFE1") as Data } },
        ]
        for call in calls {
            let error = await #expect(throws: BluejayError.self) { try await call() }
            #expect(error == .ambiguousCharacteristic([first, other]))
            #expect(error?.description.contains("the UUID: \(text);") == true, "\(error as Any)")
            #expect(error?.characteristic == "FFE1" && error?.service == nil)
        }
        #expect(try await bluejay.read(from: first) == Data([1]))
        #expect(try await bluejay.read(from: other) == Data([2]))
    }

    @Test(
        "An unknown UUID is reported as missing, and an invalid literal as malformed"
    )
    func missing() async throws {
        let stage = try await AsyncStage.connected()
        let error = await #expect(throws: BluejayError.missingCharacteristic("FFE9")) {
            try await stage.bluejay.read(from: "FFE9")
        }
        #expect(error?.description.contains("no characteristic FFE9;") == true, "\(error as Any)")
        await #expect(throws: BluejayError.malformedUUID("heart")) {
            try await stage.bluejay.read(from: "heart")
        }
        try await stage.bluejay.endListen(to: "FFE9")
    }
}
