import Bluejay
import BluejayCore

/// Calls about the adapters and the devices that bluetoothd knows.
enum AdapterCall: Swift.Sendable {
    case list
    /// Switching off is a mishap: it could come at any time, also when everything must work.
    case powerOn
    case name(String)
    /// Chooses an adapter, or none.
    case use(String?)
    case connected
    case known
    case forget(peer: Int)
}

extension Dice {
    mutating func adapterCall(peer: Int) -> AdapterCall {
        pick([
            (2, .list), (3, .powerOn), (1, .name("lab")), (1, .name("")),
            (2, .use("hci0")), (1, .use("00:AA:01:00:00:00")), (1, .use("hci7")), (2, .connected),
            (2, .known), (4, .forget(peer: peer)),
        ])
    }
}

extension Player {
    func perform(_ call: AdapterCall, _ bluejay: Bluejay) {
        switch call {
        case .list: bluejay.listAdapters(completion: ended(call))
        case .powerOn: bluejay.setPowered(true, of: "hci0", completion: ended(call))
        case .name(let name): bluejay.setAdapterAlias(name, completion: ended(call))
        case .use(let adapter): bluejay.useAdapter(adapter, completion: ended(call))
        case .connected: bluejay.connectedPeripherals(completion: ended(call))
        case .known: bluejay.knownPeripherals(completion: ended(call))
        case .forget(let peer):
            bluejay.forget(peer < peers.count ? peers[peer] : .nobody, completion: ended(call))
        }
    }

    private func ended<Value>(_ call: AdapterCall) -> (Result<Value, BluejayError>) -> Void {
        let number = ledger.start("adapter call", "\(name) \(call)")
        return { [self] result in
            switch result {
            case .success: completed(number, "ok")
            case .failure(let error): completed(number, "\(error)")
            }
        }
    }
}

extension Player: AdapterObserver {
    func adapterAppeared(_ adapter: BluetoothAdapter) {
        if !adapters.insert(adapter.name).inserted {
            ledger.violate("adapterAppeared twice", "\(name) \(adapter)")
        }
        ledger.record("\(name) adapter \(adapter.name)")
    }

    func adapterVanished(_ adapter: BluetoothAdapter) {
        if adapters.remove(adapter.name) == nil {
            ledger.violate("adapterVanished without appearing", "\(name) \(adapter)")
        }
    }

    func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter) {
        if adapter == old { ledger.violate("adapterChanged without a change", name) }
        if !adapters.contains(adapter.name) {
            ledger.violate("adapterChanged without appearing", "\(name) \(adapter)")
        }
    }
}
