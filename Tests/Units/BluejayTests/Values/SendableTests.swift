import Bluejay
import Foundation
import Testing

// This file imports Foundation and Bluejay. `Sendable` is the protocol for values that are sent to a
// peripheral, `Swift.Sendable` is the marker protocol, and `@Sendable` is unchanged.

private struct Coffee: Sendable {
    let data: UInt8
    func toBluetoothData() -> Data { Bluejay.combine(sendables: [data, DataPadding(1)]) }
}

/// Conforms to the same protocol, through the name of the module.
private struct Tea: Bluejay.Sendable {
    func toBluetoothData() -> Data { Data([0x7E]) }
}

/// A class that is not final and has a mutable property may be sent, as on iOS.
private class Grinder: Sendable {
    var level: UInt8 = 3
    func toBluetoothData() -> Data { Data([level]) }
}

/// A value that is sent to a peripheral and crosses threads.
private struct Order: Sendable, Receivable, Swift.Sendable, Equatable {
    let number: UInt16
    init(number: UInt16) { self.number = number }
    init(bluetoothData: Data) throws { number = try UInt16(bluetoothData: bluetoothData) }
    func toBluetoothData() -> Data { number.toBluetoothData() }
}

/// A class without relation to Bluetooth.
private final class Counter: @unchecked Swift.Sendable {
    // Used by one test only.
    var count = 0
}

private actor Barista {
    func answer(to order: Order) -> Order { Order(number: order.number + 1) }
    func run<Value: Swift.Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}

/// Conforms to the protocols of the connection, with the name of the module.
private final class Recorder: Bluejay.ConnectionObserver, Bluejay.LogObserver {
    var lines: [String] = []
    func connected(to peripheral: Bluejay.PeripheralIdentifier) { lines.append(peripheral.name) }
    func debug(_ text: String) { lines.append(text) }
}

@Suite("The two meanings of Sendable")
struct SendableTests {
    @Test("Both names of the Sendable protocol apply to sent values")
    func sent() {
        let grinder = Grinder()
        grinder.level = 9
        let values: [any Sendable] = [Coffee(data: 1), Tea(), grinder, Order(number: 0x0203)]
        let same: [any Bluejay.Sendable] = values
        #expect(Bluejay.combine(sendables: same) == Data([1, 0, 0x7E, 9, 3, 2]))
    }

    @Test("Swift.Sendable and @Sendable keep their meaning")
    func marker() async throws {
        let barista = Barista()
        let order = Order(number: 7)
        let answer = await barista.answer(to: order)
        #expect(answer == Order(number: 8))
        #expect(try Order(bluetoothData: answer.toBluetoothData()) == answer)
        let counter = Counter()
        let counted = await barista.run { () -> Int in
            counter.count += 1
            return counter.count
        }
        #expect(counted == 1)
        let closure: @Sendable () -> any Swift.Sendable = { "text" }
        #expect(closure() as? String == "text")
    }

    @Test("The marker and the protocol are independent of each other")
    func distinct() {
        let counter: Any = Counter()
        #expect(!(counter is any Sendable))
        let coffee: Any = Coffee(data: 1)
        #expect(coffee is any Bluejay.Sendable)
    }

    @Test("Names qualified with the module resolve")
    func qualified() throws {
        let read: Bluejay.ReadResult<UInt8> = .success(3)
        let same: ReadResult<UInt8> = read
        guard case .success(3) = same else {
            Issue.record("\(same)")
            return
        }
        let timeout: Bluejay.Timeout = .seconds(2.5)
        #expect(timeout == Timeout.seconds(2.5))
        let service: Bluejay.ServiceIdentifier = .heartRate
        let characteristic = Bluejay.CharacteristicIdentifier(
            uuid: Bluejay.CBUUID(string: "2A37"),
            service: service
        )
        #expect(characteristic == CharacteristicIdentifier.heartRateMeasurement)
        #expect(throws: Bluejay.BluejayError.malformedUUID("?")) {
            try Bluejay.BluetoothUUID(validating: "?")
        }
        let recorder = Recorder()
        recorder.connected(to: Bluejay.PeripheralIdentifier(uuid: UUID(), name: "Bar"))
        #expect(recorder.lines == ["Bar"])
    }
}
