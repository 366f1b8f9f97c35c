import Bluejay
import Foundation

/// A class on the main actor, as apps have many, with closures that are written in its isolation.
@MainActor
final class Session {
    private let service = ServiceIdentifier(uuid: "180D")
    private var values: [UInt8] = []

    func start() {
        bluejay.start()
        bluejay.scan(serviceIdentifiers: [service]) { discovery, _ in
            .connect(discovery) { [self] _ in runTask() }
        } stopped: { _, _ in
        }
        MainLoop.main.run()
    }

    private func runTask() {
        let register = CharacteristicIdentifier(uuid: "2A39", service: service)
        bluejay.run(
            backgroundTask: { peripheral -> [UInt8] in
                var values: [UInt8] = [try peripheral.read(from: register)]
                try peripheral.writeAndListen(
                    writeTo: register,
                    value: UInt8(9),
                    listenTo: register,
                    timeoutInSeconds: .seconds(15),
                    completion: { (value: UInt8) -> ListenAction in
                        values.append(value)
                        return .done
                    }
                )
                return values
            },
            completionOnMainThread: { [self] result in
                if case .success(let values) = result { self.values = values }
                printLine("session \(values)")
            }
        )
    }
}
