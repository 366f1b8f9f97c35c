import Bluejay
import BluejayGATTServer
import BluejayL2CAP
import CallbackStage
import Foundation
import MeshPeer

/// A class without isolation, created and used on the loop, whose closures count their calls.
package final class Owner {
    var counts: [String: Int] = [:]
    /// The number of completions of each kind that the step still waits for.
    var open: [String: Int] = [:]
    var endStep: (@Sendable () -> Void)?
    let stage: Stage
    let bluejay: Bluejay
    let server: GATTServer
    var node: BLEPeripheralManager?
    let listener: L2CAPListener
    var channel: L2CAPChannel?
    var accepted: [L2CAPChannel] = []
    var characteristic: LocalCharacteristic?
    var number = 0

    package init(_ stage: Stage) {
        self.stage = stage
        bluejay = Bluejay(host: stage.host("hci0"))
        server = GATTServer(host: stage.host("hci1"))
        listener = L2CAPListener(host: stage.host("hci0"))
    }

    func count(_ kind: String) {
        counts[kind, default: 0] += 1
    }
}

extension Owner: ConnectionObserver {
    package func bluetoothAvailable(_ available: Bool) {
        count("ConnectionObserver.bluetoothAvailable")
    }

    package func connected(to peripheral: PeripheralIdentifier) {
        count("ConnectionObserver.connected")
    }

    package func disconnected(from peripheral: PeripheralIdentifier, reason: BluejayError?) {
        count("ConnectionObserver.disconnected")
    }

    package func willReconnect(
        to peripheral: PeripheralIdentifier,
        attempt: Int,
        after pause: Duration?
    ) {
        count("ConnectionObserver.willReconnect")
    }
}

extension Owner: DisconnectHandler {
    package func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        count("DisconnectHandler.didDisconnect")
        return .noChange
    }
}

extension Owner: ServiceObserver {
    package func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        count("ServiceObserver.didModifyServices")
    }
}

extension Owner: LogObserver {
    package func debug(_ text: String) {
        count("LogObserver.debug")
    }
}

extension Owner: RSSIObserver {
    package func didReadRSSI(
        from peripheral: PeripheralIdentifier,
        RSSI: NSNumber,
        error: (any Error)?
    ) {
        count("RSSIObserver.didReadRSSI")
    }
}

extension Owner: PeripheralObserver {
    package func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier) {
        count("PeripheralObserver.didUpdateMTU")
    }

    package func didUpdateDetails(_ details: PeripheralDetails, of peripheral: PeripheralIdentifier)
    {
        count("PeripheralObserver.didUpdateDetails")
    }

    package func peripheralIsReady(toSendWriteWithoutResponse peripheral: PeripheralIdentifier) {
        count("PeripheralObserver.peripheralIsReady")
    }
}

extension Owner: AdapterObserver {
    package func adapterAppeared(_ adapter: BluetoothAdapter) {
        count("AdapterObserver.adapterAppeared")
    }

    package func adapterVanished(_ adapter: BluetoothAdapter) {
        count("AdapterObserver.adapterVanished")
    }

    package func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter) {
        count("AdapterObserver.adapterChanged")
    }

    package func adapterInUseChanged(to adapter: BluetoothAdapter?) {
        count("AdapterObserver.adapterInUseChanged")
    }
}

extension Owner: MeshRepository {
    package func onBleDataReceived(peerId: String, data: Data) {
        count("MeshRepository.onBleDataReceived")
    }

    package func sendBlePacket(peerId: String, data: Data) {}
}
