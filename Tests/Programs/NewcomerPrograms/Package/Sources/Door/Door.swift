import Bluejay

/// Opens a lock: a class with callbacks, used on the main loop.
public final class Door {
    /// No lock was found.
    public struct NotThere: Error {}

    private let bluejay: Bluejay
    private let service = ServiceIdentifier(uuid: "FFE0")

    /// Creates a door and starts Bluetooth.
    public init(_ bluejay: Bluejay = Bluejay()) {
        self.bluejay = bluejay
        bluejay.start()
    }

    /// Finds the lock, connects to it and opens it; `done` receives the error, or `nil`.
    public func open(done: @escaping ((any Error)?) -> Void) {
        bluejay.scan(duration: 20, serviceIdentifiers: [service]) { lock, _ in
            .connect(lock, timeout: .seconds(30)) { [self] result in
                if case .failure(let error) = result { return done(error) }
                unlock(done)
            }
        } stopped: { found, error in
            if found.isEmpty { done(error ?? NotThere()) }
        }
    }

    private func unlock(_ done: @escaping ((any Error)?) -> Void) {
        let bolt = CharacteristicIdentifier(uuid: "FFE1", service: service)
        bluejay.write(to: bolt, value: UInt8(1)) { result in
            if case .failure(let error) = result { return done(error) }
            done(nil)
        }
    }
}
