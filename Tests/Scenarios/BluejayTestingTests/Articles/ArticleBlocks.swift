import Bluejay
import BluejayAsync
import BluejayGATTServer
import Foundation

/// The code blocks of the articles in `Sources/*/*.docc`, and variants of them.
struct ArticleBlocks {
    private let location = CharacteristicIdentifier.bodySensorLocation
    private let controlPoint = CharacteristicIdentifier.heartRateControlPoint
    let bluejay: Bluejay
    /// Receives the output of the blocks.
    let print: (Any) -> Void

    func scanWithList() {
        bluejay.scan(duration: 5, serviceIdentifiers: [.heartRate]) { discovery, all in
            print("\(discovery.peripheralIdentifier.name), \(all.count) so far")
            return .continue
        } stopped: { _, error in
            if let error { print(error) }
        }
    }

    func filters() -> [ScanFilter] {
        let lamps = (ScanFilter.name("Lamp") || .name("Bulb")) && !.address("C4:7C:8D:6A:1F:02")
        let withFlags = ScanFilter.where { $0.advertisement.flags != nil }
        return [lamps, withFlags]
    }

    func scanBeside() {
        let near = ScanFilter.anyService([.heartRate]) && .minimumRSSI(-70)
        bluejay.scan(matching: near, besideQueue: true) { discovery in
            print("\(discovery.peripheralIdentifier.name) at \(discovery.rssi) dBm")
            return .stop
        } stopped: { error in
            if let error { print(error) }
        }
    }

    func observe() -> Reporter {
        let reporter = Reporter(print: print)
        bluejay.register(connectionObserver: reporter)
        return reporter
    }

    func connect() {
        bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { result in
            switch result {
            case .success(let sensor): print("connected to \(sensor)")
            case .failure(let error): print(error)
            }
        }
    }

    func readAndWrite() {
        bluejay.write(to: controlPoint, value: UInt8(1)) { result in
            if case .failure(let error) = result { print(error) }
        }
        bluejay.read(from: location) { (result: ReadResult<UInt8>) in
            switch result {
            case .success(let place): print("worn at place \(place)")
            case .failure(let error): print(error)
            }
        }
    }

    func listen() {
        bluejay.listen(to: .heartRateMeasurement) { (result: ReadResult<HeartRateReading>) in
            switch result {
            case .success(let reading): print("\(reading.beatsPerMinute) beats per minute")
            case .failure(let error): print(error)
            }
        }
    }

    func runTask() {
        bluejay.run { [controlPoint, location] sensor in
            try sensor.write(to: controlPoint, value: UInt8(1))
            return try sensor.read(from: location) as UInt8
        } completionOnMainThread: { (result: RunResult<UInt8>) in
            switch result {
            case .success(let place): print("worn at place \(place)")
            case .failure(let error): print(error)
            }
        }
    }

    func open(_ latch: CharacteristicIdentifier) {
        bluejay.write(to: latch, value: UInt8(1)) { result in
            guard case .failure(let error) = result else { return print("open") }
            switch error {
            case BluejayError.notPaired:
                print("pair first")
            case BluejayError.attribute(.valueNotAllowed):
                print("the latch rejected the value")
            case BluejayError.missingService, BluejayError.missingCharacteristic:
                print("this is not a lock")
            case let error as BluejayError where error.isRetryable:
                print("later: \(error)")
            default:
                print(error)
            }
        }
    }

    func pair() {
        bluejay.setPairingHandler { request, _, answer in
            if request == .passkey { answer.accept(passkey: 123_456) } else { answer.reject() }
        }
        bluejay.pair { result in
            if case .failure(let error) = result { print(error) } else { print("paired") }
        }
    }
}

final class Reporter: ConnectionObserver {
    private let print: (Any) -> Void

    init(print: @escaping (Any) -> Void) {
        self.print = print
    }

    func connected(to peripheral: PeripheralIdentifier) {
        print("connected to \(peripheral)")
    }

    func disconnected(from peripheral: PeripheralIdentifier, reason: BluejayError?) {
        if let reason { print("disconnected: \(reason)") }
    }
}

/// The block of the overview of BluejayAsync.
func followThree(_ bluejay: Bluejay) async throws -> [UInt16] {
    try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { sensor in
        var beats: [UInt16] = []
        let readings = sensor.values(of: .heartRateMeasurement, as: HeartRateReading.self)
        for try await reading in readings.prefix(3) {
            beats.append(reading.beatsPerMinute)
        }
        return beats
    }
}

/// The block of the overview of BluejayGATTServer.
func publishBell(with server: GATTServer, done: @escaping ((any Error)?) -> Void) {
    let level = LocalCharacteristic(
        uuid: "FFE1",
        properties: .read,
        onRead: { request in request.respond(with: Data([5])) }
    )
    let bell = LocalService(uuid: "FFE0", characteristics: [level])
    server.start()
    server.add(bell) { result in
        if case .failure(let error) = result { return done(error) }
        server.startAdvertising(LocalAdvertisement(serviceUUIDs: [bell.uuid])) { result in
            if case .failure(let error) = result { done(error) } else { done(nil) }
        }
    }
}

/// The block of the page Errors.
func openAndExplain(
    _ latch: CharacteristicIdentifier,
    _ bluejay: Bluejay,
    print: (Any) -> Void
) async throws {
    do {
        try await bluejay.write(to: latch, value: UInt8(1))
    } catch BluejayError.notPaired {
        print("pair first")
    } catch BluejayError.attribute(.valueNotAllowed) {
        print("the latch rejected the value")
    } catch BluejayError.missingCharacteristic {
        print("this is not a lock")
    } catch let error as BluejayError where error.isRetryable {
        print("later: \(error)")
    }
}

/// The block of the page Logging.
func makeWithJournal() -> Bluejay {
    final class Journal: LogObserver {
        func debug(_ text: String) { print(text) }
    }
    let journal = Journal()
    let bluejay = Bluejay(logObserver: journal)
    // queue: made uuid=27B94BE8-650B-49C9-9D39-0C131A24B72F instance=27B94BE8
    return bluejay
}

/// A series of calls posted to the loop.
func connectOnLoop(of bluejay: Bluejay, print: @escaping @Sendable (Any) -> Void) {
    bluejay.mainLoop.post {
        bluejay.start()
        bluejay.connect(toFirst: .anyService([.heartRate]), within: 20) { result in
            switch result {
            case .success(let sensor): print("connected to \(sensor)")
            case .failure(let error): print(error)
            }
        }
    }
}
