/// The kinds of callbacks of all products, as the test compares them with the declarations.
enum Kinds {
    static let played = [
        "ActiveAdvertisement.onEnd", "AdapterObserver.adapterAppeared",
        "AdapterObserver.adapterChanged",
        "AdapterObserver.adapterInUseChanged", "AdapterObserver.adapterVanished",
        "ConnectionObserver.bluetoothAvailable", "ConnectionObserver.connected",
        "ConnectionObserver.disconnected",
        "ConnectionObserver.willReconnect", "DisconnectHandler.didDisconnect",
        "GATTServer.onAdvertisingEnded",
        "GATTServer.onCentralChange", "GATTServer.onConnectionChange", "GATTServer.onStateChange",
        "GATTServer.pairingHandler", "L2CAPChannel.onEnd", "L2CAPChannel.onReceive",
        "L2CAPListener.onChannel",
        "L2CAPListener.onEnd", "LocalCharacteristic.onConfirm", "LocalCharacteristic.onRead",
        "LocalCharacteristic.onSubscribersChange", "LocalCharacteristic.onSubscriptionChange",
        "LocalCharacteristic.onWrite", "LogObserver.debug", "MeshRepository.onBleDataReceived",
        "PeripheralObserver.didUpdateDetails",
        "RSSIObserver.didReadRSSI", "ScanAction.connect",
        "ServiceObserver.didModifyServices", "add.completion", "advertise.completion",
        "ask.completion", "batteryLevel.completion",
        "cancelPairing.completion", "close.completion", "connect.completion",
        "connectedPeripherals.completion",
        "deviceInformation.completion", "disconnect.completion", "endListen.completion",
        "flush.completion", "forget.completion",
        "knownPeripherals.completion", "listAdapters.completion", "listen.completion",
        "listen.installed",
        "notify.completion", "open.completion", "pair.completion", "read.completion",
        "readRSSI.completion",
        "remove.completion", "run.completionOnMainThread", "scan.discovery", "scan.stopped",
        "send.completion", "send.progress",
        "setAdapterAlias.completion", "setAlias.completion", "setPairingHandler.handler",
        "setPowered.completion",
        "start.completion", "startAdvertising.completion", "stop.completion",
        "stopAdvertising.completion",
        "update.completion", "useAdapter.completion", "watch.event", "watch.stopped",
        "write.completion", "write.progress",
    ]

    /// The kinds that a round omits if other events come first.
    static let racing = ["ConnectionObserver.willReconnect", "LocalCharacteristic.onConfirm"]

    /// The kinds that this program does not play, with the reasons.
    static let exceptions = [
        "BackgroundRestorer.didFailToRestoreConnection": "needs the state of an earlier process",
        "BackgroundRestorer.didRestoreConnection": "needs the state of an earlier process",
        "BrainSDK.onDataReceived": "belongs to the main actor: others do not compile",
        "BrainSDK.onPeerConnected": "belongs to the main actor",
        "BrainSDK.onPeerDisconnected": "belongs to the main actor",
        "BrainSDK.startHostAdvertising": "belongs to the main actor",
        "BrainSDK.stopHostAdvertising": "belongs to the main actor",
        "GATTServer.onServiceEnded": "needs a bluetoothd that refuses what it accepted before",
        "ListenRestorer.didReceiveUnhandledListen": "needs the state of an earlier process",
        "LocalDescriptor.onRead": "has the code of LocalCharacteristic.onRead",
        "LocalDescriptor.onWrite": "has the code of LocalCharacteristic.onWrite",
        "MeshRepository.sendBlePacket": "is called by the program itself",
        "PeripheralObserver.didUpdateMTU": "needs a peripheral whose MTU changes",
        "PeripheralObserver.peripheralIsReady": "needs a peripheral that stops reading for a while",
        "PairingResponder.onEnd": "needs a pairing that ends before its answer",
        "sendData.progress": "has the code of send.progress",
        "scan.expired": "needs a peripheral that is silent for 15 s",
    ]
}
