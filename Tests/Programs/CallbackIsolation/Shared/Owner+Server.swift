import BluejayGATTServer
import CallbackStage
import Foundation
import MeshPeer

extension Owner {
    func beginServer() {
        server.onStateChange = { _ in self.count("GATTServer.onStateChange") }
        server.onServiceEnded = { _, _ in self.count("GATTServer.onServiceEnded") }
        server.onAdvertisingEnded = { _ in self.count("GATTServer.onAdvertisingEnded") }
        server.onConnectionChange = { _, _ in self.count("GATTServer.onConnectionChange") }
        server.onCentralChange = { _ in self.count("GATTServer.onCentralChange") }
        server.pairingHandler = { _, _, responder in
            self.count("GATTServer.pairingHandler")
            responder.accept()
        }
        server.start()
        let characteristics = [makeAnswering(), makeNotifying()]
        server.add(LocalService(uuid: uuid(0x1815), characteristics: characteristics)) { _ in
            self.ended("add.completion")
        }
        let advertisement = LocalAdvertisement(
            serviceUUIDs: [uuid(0x1815)],
            timeout: .seconds(1)
        )
        server.startAdvertising(advertisement) { _ in
            self.ended("startAdvertising.completion")
        }
        begin(["add.completion": 1, "startAdvertising.completion": 1])
        node = BLEPeripheralManager(repository: self, host: stage.host("hci1"))
        node?.startAdvertising()
    }

    private func makeAnswering() -> LocalCharacteristic {
        let descriptor = LocalDescriptor(uuid: uuid(0x2901), properties: [.read, .write]) {
            request in
            self.count("LocalDescriptor.onRead")
            request.respond(with: Data([1]))
        } onWrite: { request in
            self.count("LocalDescriptor.onWrite")
            request.accept()
        }
        return LocalCharacteristic(
            uuid: uuid(0x2A3C),
            properties: [.read, .write, .writeWithoutResponse],
            descriptors: [descriptor]
        ) { request in
            self.count("LocalCharacteristic.onRead")
            request.respond(with: Data([1]))
        } onWrite: { request in
            self.count("LocalCharacteristic.onWrite")
            request.accept()
        }
    }

    private func makeNotifying() -> LocalCharacteristic {
        let characteristic = LocalCharacteristic(
            uuid: uuid(0x2A3D),
            properties: .indicate,
            subscriptions: .perCentral
        )
        characteristic.onSubscriptionChange = { _ in
            self.count("LocalCharacteristic.onSubscriptionChange")
        }
        characteristic.onSubscribersChange = { subscribers in
            self.count("LocalCharacteristic.onSubscribersChange")
            for subscriber in subscribers { self.notify(subscriber.central) }
        }
        characteristic.onConfirm = { self.count("LocalCharacteristic.onConfirm") }
        self.characteristic = characteristic
        return characteristic
    }

    private func notify(_ central: PeripheralIdentifier) {
        guard let characteristic else { return }
        server.notify(Data([1]), on: characteristic, to: central) { _ in
            self.count("notify.completion")
        }
    }

    func playServer() {
        let service = LocalService(uuid: uuid(0x1816), characteristics: [])
        server.add(service) { _ in self.ended("add.completion") }
        server.remove(service) { _ in self.ended("remove.completion") }
        let advertisement = server.advertise(LocalAdvertisement(serviceUUIDs: [uuid(0x1816)])) {
            _ in
            self.ended("advertise.completion")
        }
        advertisement.update(to: LocalAdvertisement(serviceUUIDs: [uuid(0x1817)])) { _ in
            self.ended("update.completion")
        }
        advertisement.stop { self.ended("stop.completion") }
        let brief = LocalAdvertisement(serviceUUIDs: [uuid(0x1818)], timeout: .seconds(1))
        server.advertise(brief) { _ in self.ended("advertise.completion") }.onEnd = { _ in
            self.count("ActiveAdvertisement.onEnd")
        }
        begin(["add.completion": 1, "remove.completion": 1, "advertise.completion": 2])
        begin(["update.completion": 1, "stop.completion": 1])
        guard let characteristic else { return }
        server.notify(Data([1]), on: characteristic, to: stage.strangerIdentifier) { _ in
            self.ended("notify.completion")
        }
        begin(["notify.completion": 1])
    }

    func endServer() {
        listener.close()
        server.stopAdvertising { self.ended("stopAdvertising.completion") }
        server.stop { self.ended("stop.completion") }
        begin(["stopAdvertising.completion": 1, "stop.completion": 1])
    }

    private func uuid(_ number: UInt16) -> BluetoothUUID { BluetoothUUID(uint16: number) }
}
