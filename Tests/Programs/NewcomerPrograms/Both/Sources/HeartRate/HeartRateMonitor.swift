import Bluejay
import Foundation

/// A measurement of a heart rate sensor, as far as this app needs it.
public struct Beats: Receivable {
    /// 0 to 65,535.
    public let perMinute: Int

    /// Reads flags, and a rate of one byte or two.
    public init(bluetoothData: Data) throws {
        let flags: UInt8 = try bluetoothData.extract(start: 0, length: 1)
        if flags & 1 == 0 {
            let rate: UInt8 = try bluetoothData.extract(start: 1, length: 1)
            perMinute = Int(rate)
        } else {
            let rate: UInt16 = try bluetoothData.extract(start: 1, length: 2)
            perMinute = Int(rate)
        }
    }
}

/// Follows the first heart rate sensor that it finds; the same for both systems.
public final class HeartRateMonitor {
    private let bluejay: Bluejay
    private let rate = CharacteristicIdentifier(
        uuid: "2A37",
        service: ServiceIdentifier(uuid: "180D")
    )

    /// Creates a monitor; `start` begins the scan.
    public init(_ bluejay: Bluejay = Bluejay()) {
        self.bluejay = bluejay
    }

    /// Calls `onBeats` for each measurement.
    public func start(_ onBeats: @escaping (Beats) -> Void) {
        bluejay.start()
        bluejay.scan(
            serviceIdentifiers: [rate.service],
            discovery: { [weak self] discovery, _ in
                .connect(discovery, .none, .default) { result in
                    if case .success = result { self?.listen(onBeats) }
                }
            },
            stopped: { _, error in
                if let error { print(error.localizedDescription) }
            }
        )
    }

    private func listen(_ onBeats: @escaping (Beats) -> Void) {
        bluejay.listen(to: rate) { (result: ReadResult<Beats>) in
            switch result {
            case .success(let beats): onBeats(beats)
            case .failure(let error): print(error.localizedDescription)
            }
        }
    }
}
