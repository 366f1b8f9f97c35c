import Bluejay
import BluejayGATTServer
import BluejayL2CAP
import CallbackStage
import Foundation
import MeshPeer

/// An actor whose closures count their calls.
package actor Owner {
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
    package nonisolated func bluetoothAvailable(_ available: Bool) {
        assumeIsolated { $0.count("ConnectionObserver.bluetoothAvailable") }
    }

    package nonisolated func connected(to peripheral: PeripheralIdentifier) {
        assumeIsolated { $0.count("ConnectionObserver.connected") }
    }

    package nonisolated func disconnected(
        from peripheral: PeripheralIdentifier,
        reason: BluejayError?
    ) {
        assumeIsolated { $0.count("ConnectionObserver.disconnected") }
    }

    package nonisolated func willReconnect(
        to peripheral: PeripheralIdentifier,
        attempt: Int,
        after pause: Duration?
    ) {
        assumeIsolated { $0.count("ConnectionObserver.willReconnect") }
    }
}

extension Owner: DisconnectHandler {
    package nonisolated func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        assumeIsolated { $0.count("DisconnectHandler.didDisconnect") }
        return .noChange
    }
}

extension Owner: ServiceObserver {
    package nonisolated func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        assumeIsolated { $0.count("ServiceObserver.didModifyServices") }
    }
}

extension Owner: LogObserver {
    package nonisolated func debug(_ text: String) {
        assumeIsolated { $0.count("LogObserver.debug") }
    }
}

extension Owner: RSSIObserver {
    package nonisolated func didReadRSSI(
        from peripheral: PeripheralIdentifier,
        RSSI: NSNumber,
        error: (any Error)?
    ) {
        assumeIsolated { $0.count("RSSIObserver.didReadRSSI") }
    }
}

extension Owner: PeripheralObserver {
    package nonisolated func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier) {
        assumeIsolated { $0.count("PeripheralObserver.didUpdateMTU") }
    }

    package nonisolated func didUpdateDetails(
        _ details: PeripheralDetails,
        of peripheral: PeripheralIdentifier
    ) {
        assumeIsolated { $0.count("PeripheralObserver.didUpdateDetails") }
    }

    package nonisolated func peripheralIsReady(
        toSendWriteWithoutResponse peripheral: PeripheralIdentifier
    ) {
        assumeIsolated { $0.count("PeripheralObserver.peripheralIsReady") }
    }
}

extension Owner: AdapterObserver {
    package nonisolated func adapterAppeared(_ adapter: BluetoothAdapter) {
        assumeIsolated { $0.count("AdapterObserver.adapterAppeared") }
    }

    package nonisolated func adapterVanished(_ adapter: BluetoothAdapter) {
        assumeIsolated { $0.count("AdapterObserver.adapterVanished") }
    }

    package nonisolated func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter)
    {
        assumeIsolated { $0.count("AdapterObserver.adapterChanged") }
    }

    package nonisolated func adapterInUseChanged(to adapter: BluetoothAdapter?) {
        assumeIsolated { $0.count("AdapterObserver.adapterInUseChanged") }
    }
}

extension Owner: MeshRepository {
    package nonisolated func onBleDataReceived(peerId: String, data: Data) {
        assumeIsolated { $0.count("MeshRepository.onBleDataReceived") }
    }

    package nonisolated func sendBlePacket(peerId: String, data: Data) {}
}
