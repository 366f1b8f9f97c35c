import Bluejay
import CallbackStage
import Foundation

private let heartRate = ServiceIdentifier(uuid: "180D")
private let measurement = CharacteristicIdentifier(uuid: "2A37", service: heartRate)
private let location = CharacteristicIdentifier(uuid: "2A38", service: heartRate)
private let control = CharacteristicIdentifier(uuid: "2A39", service: heartRate)
private let description = DescriptorIdentifier(uuid: "2901", characteristic: location)

extension Owner {
    func beginCentral() {
        bluejay.register(connectionObserver: self)
        bluejay.register(serviceObserver: self)
        bluejay.register(logObserver: self)
        bluejay.register(rssiObserver: self)
        bluejay.register(peripheralObserver: self)
        bluejay.register(adapterObserver: self)
        bluejay.registerDisconnectHandler(handler: self)
        bluejay.setPairingHandler { _, _, responder in
            self.count("setPairingHandler.handler")
            responder.accept()
        }
        bluejay.start()
        bluejay.connect(toFirst: .name("Gadget")) { _ in self.ended("connect.completion") }
        begin(["connect.completion": 1])
    }

    func endCentral() {
        bluejay.disconnect { _ in self.ended("disconnect.completion") }
        begin(["disconnect.completion": 1])
    }

    func playCentral() {
        bluejay.connect(stage.gadgetIdentifier) { _ in self.ended("connect.completion") }
        bluejay.connect(toFirst: .name("Gadget")) { _ in self.ended("connect.completion") }
        bluejay.pair { _ in self.ended("pair.completion") }
        bluejay.cancelPairing { _ in self.ended("cancelPairing.completion") }
        playAttributes()
        playDetails()
        playAdapters()
        playScans()
        playTasks()
        begin(["connect.completion": 2, "pair.completion": 1, "cancelPairing.completion": 1])
    }

    private func playAttributes() {
        bluejay.listen(to: measurement, multipleListenOption: .replaceable) {
            (_: ReadResult<UInt8>) in
            self.count("listen.completion")
        } installed: {
            self.count("listen.installed")
        }
        bluejay.read(from: location) { (_: ReadResult<UInt8>) in self.ended("read.completion") }
        bluejay.write(to: control, value: UInt8(1)) { _ in self.ended("write.completion") }
        for _ in 0..<10 {
            bluejay.write(to: control, value: UInt8(1), type: .withoutResponse) { _ in
                self.ended("write.completion")
            }
        }
        bluejay.read(from: description) { (_: ReadResult<Data>) in self.ended("read.completion") }
        bluejay.write(to: description, value: Data([1])) { _ in self.ended("write.completion") }
        bluejay.write(to: control, contentsOf: Data([1, 2]), inPiecesOf: 1, type: .withResponse) {
            (_: Int) in
            self.count("write.progress")
        } completion: { _ in
            self.ended("write.completion")
        }
        // The location does not notify.
        bluejay.ask(control, writing: UInt8(1), answer: location) { (_: ReadResult<UInt8>) in
            self.ended("ask.completion")
        }
        bluejay.endListen(to: location) { _ in self.ended("endListen.completion") }
        begin(["read.completion": 2, "write.completion": 13, "endListen.completion": 1])
        begin(["ask.completion": 1])
    }

    private func playDetails() {
        bluejay.batteryLevel { _ in self.ended("batteryLevel.completion") }
        bluejay.deviceInformation { _ in self.ended("deviceInformation.completion") }
        bluejay.setAlias("Gadget \(number)") { _ in self.ended("setAlias.completion") }
        bluejay.readRSSI { _ in self.ended("readRSSI.completion") }
        try? bluejay.readRSSI()
        bluejay.forget(stage.strangerIdentifier) { _ in self.ended("forget.completion") }
        begin(["batteryLevel.completion": 1, "deviceInformation.completion": 1])
        begin(["setAlias.completion": 1, "readRSSI.completion": 1, "forget.completion": 1])
    }

    private func playAdapters() {
        bluejay.connectedPeripherals { _ in self.ended("connectedPeripherals.completion") }
        bluejay.knownPeripherals { _ in self.ended("knownPeripherals.completion") }
        bluejay.listAdapters { _ in self.ended("listAdapters.completion") }
        bluejay.setPowered(true) { _ in self.ended("setPowered.completion") }
        bluejay.setAdapterAlias("adapter \(number)") { _ in
            self.ended("setAdapterAlias.completion")
        }
        bluejay.useAdapter("hci0") { _ in self.ended("useAdapter.completion") }
        begin(["connectedPeripherals.completion": 1, "knownPeripherals.completion": 1])
        begin(["listAdapters.completion": 1, "setPowered.completion": 1])
        begin(["setAdapterAlias.completion": 1, "useAdapter.completion": 1])
    }

    private func playScans() {
        bluejay.scan(duration: 1, serviceIdentifiers: [heartRate]) { _, _ in
            self.count("scan.discovery")
            return .stop
        } stopped: { _, _ in
            self.ended("scan.stopped")
        }
        bluejay.scan(duration: 1, serviceIdentifiers: [heartRate]) { _ in
            self.count("scan.discovery")
            return .stop
        } stopped: { _ in
            self.ended("scan.stopped")
        }
        bluejay.scan(matching: .anyService([heartRate]), duration: 1, besideQueue: true) { _, _ in
            self.count("scan.discovery")
            return .stop
        } stopped: { _, _ in
            self.ended("scan.stopped")
        }
        bluejay.scan(matching: .anyService([heartRate]), duration: 1, besideQueue: true) {
            discovery in
            self.count("scan.discovery")
            return .connect(discovery) { _ in self.count("ScanAction.connect") }
        } stopped: { _ in
            self.ended("scan.stopped")
        }
        bluejay.watch(for: .anyService([heartRate])) { _ in
            self.count("watch.event")
            return .stop
        } stopped: { _ in
            self.ended("watch.stopped")
        }
        begin(["scan.stopped": 4, "watch.stopped": 1])
    }

    private func playTasks() {
        bluejay.run { (_: SynchronizedPeripheral) in
        } completionOnMainThread: { (_: RunResult<Void>) in
            self.ended("run.completionOnMainThread")
        }
        bluejay.run { (_: SynchronizedPeripheral) in
            1
        } completionOnMainThread: {
            (_: RunResult<Int>) in
            self.ended("run.completionOnMainThread")
        }
        bluejay.run(userData: 1) { (_: SynchronizedPeripheral, data: Int) in
            data
        } completionOnMainThread: { (_: RunResult<Int>) in
            self.ended("run.completionOnMainThread")
        }
        begin(["run.completionOnMainThread": 3])
    }
}
