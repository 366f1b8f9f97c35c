import BluejayGATTServer
import Foundation

/// One service with a value to read and one to listen to; ends with its listener.
final class Application {
    private let server = GATTServer()
    private let service: LocalService

    init() {
        let value = LocalCharacteristic(
            uuid: uuid(1),
            properties: [.read, .write],
            value: Data(repeating: 7, count: 20)
        )
        let notifier = LocalCharacteristic(uuid: uuid(2), properties: [.notify])
        service = LocalService(uuid: uuid(0), characteristics: [value, notifier])
        notifier.onSubscriptionChange = { isSubscribed in
            if !isSubscribed { exit(0) }
        }
    }

    func start() {
        server.start()
        server.add(service) { result in
            if case .failure(let error) = result { fail("\(error)") }
        }
    }
}
