import Bluejay
import Foundation
import Testing

// Written as for iOS, to test the names and the types.

private enum Drink: Int { case espresso, filter }

private struct Coffee: Sendable {
    let data: UInt8

    init(drink: Drink) {
        data = UInt8(drink.rawValue)
    }

    func toBluetoothData() -> Data {
        combine([data])
    }
}

private struct Measurement: Receivable {
    private var flags: UInt8 = 0
    private var rateIn8Bits: UInt8 = 0
    private var rateIn16Bits: UInt16 = 0
    private var isIn8Bits = true

    var rate: Int {
        isIn8Bits ? Int(rateIn8Bits) : Int(rateIn16Bits)
    }

    init(bluetoothData: Data) throws {
        flags = try bluetoothData.extract(start: 0, length: 1)
        isIn8Bits = (flags & 0b0000_0001) == 0b0000_0000
        if isIn8Bits {
            rateIn8Bits = try bluetoothData.extract(start: 1, length: 1)
        } else {
            rateIn16Bits = try bluetoothData.extract(start: 1, length: 2)
        }
    }
}

/// A class with mutable properties may be sent, as on iOS.
private class MutableValue: Sendable {
    var byte: UInt8 = 0
    func toBluetoothData() -> Data { Data([byte]) }
}

private class Reconnector: DisconnectHandler, RSSIObserver, ServiceObserver, LogObserver {
    var lines: [String] = []

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        .change(shouldAutoReconnect: false)
    }

    func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {
        lines.append("\(RSSI)")
    }

    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        lines.append("\(invalidatedServices.count)")
    }

    func debug(_ text: String) { lines.append(text) }
}

@Suite("Code written for iOS")
struct PortedCodeTests {
    @Test("A sent model conforms to the protocol Sendable")
    func sending() {
        #expect(Coffee(drink: .filter).toBluetoothData() == Data([1]))
        let values: [any Sendable] = [MutableValue(), Coffee(drink: .espresso)]
        #expect(combine(values) == Data([0, 0]))
    }

    @Test("Swift's marker protocol is Swift.Sendable")
    func marker() {
        @Sendable func accept<Value: Swift.Sendable>(_ value: Value) -> Value { value }
        let closure: @Sendable () -> Int = { accept(3) }
        #expect(closure() == 3)
    }

    @Test("A received model extracts its fields")
    func receiving() throws {
        #expect(try Measurement(bluetoothData: Data([0, 72])).rate == 72)
        #expect(try Measurement(bluetoothData: Data([1, 0x2C, 1])).rate == 300)
        #expect(throws: BluejayError.dataOutOfBounds(start: 1, length: 2, count: 2)) {
            try Measurement(bluetoothData: Data([1, 72]))
        }
    }

    @Test("Results are switched over without a default case")
    func results() {
        func text(_ result: ReadResult<UInt8>) -> String {
            switch result {
            case .success(let value): "\(value)"
            case .failure(let error): error.localizedDescription
            }
        }
        #expect(text(.success(3)) == "3")
        #expect(text(.failure(BluejayError.cancelled)) == "cancelled")
    }

    @Test("Handlers and observers keep the labels they have on iOS")
    func observers() {
        let observer = Reconnector()
        let peripheral = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
        let mode = observer.didDisconnect(from: peripheral, with: nil, willReconnect: true)
        #expect(mode == .change(shouldAutoReconnect: false))
        observer.didReadRSSI(from: peripheral, RSSI: -60, error: nil)
        observer.didModifyServices(from: peripheral, invalidatedServices: [])
        observer.debug("line")
        #expect(observer.lines == ["-60", "0", "line"])
    }
}
