internal import BluejayBlueZ
internal import BluejayCore

/// Tells of the devices that come and go.
extension ServerRunner {
    // What is read from other threads is set first. The user is called in between, and what he does may
    // change more: it is told behind.
    func centralsChanged(_ changes: [Centrals.Change]) {
        shown.value.connectedDevices = centrals?.connected ?? []
        shown.value.centrals = centrals?.centrals ?? []
        tellAudience()
        tellServices(changes)
        tellAdvertisements(changes)
        centralChanges += changes
        guard !isTellingCentrals else { return }
        isTellingCentrals = true
        while !centralChanges.isEmpty { tell(centralChanges.removeFirst()) }
        isTellingCentrals = false
    }

    private func tellServices(_ changes: [Centrals.Change]) {
        var balance = 0
        for change in changes {
            switch change {
            case .disconnected(let path, _):
                balance -= 1
                requests.forget(path)
                for service in services { service.centralLeft(path) }
            case .connected: balance += 1
            case .came, .left, .identified: break
            }
        }
        let count = shown.value.connectedDevices.count
        let wasEmpty = count == balance
        guard wasEmpty != (count == 0) else { return }
        for service in services { service.centralsChanged(areAny: count > 0) }
    }

    private func tellAdvertisements(_ changes: [Centrals.Change]) {
        for change in changes {
            switch change {
            // Whoever this machine has connected to has not answered an advertisement.
            case .came: advertising.connected()
            case .disconnected: advertising.retry()
            case .connected, .left, .identified: break
            }
        }
    }

    private func tell(_ change: Centrals.Change) {
        switch change {
        case .connected(let device):
            log.debug("connected", ["central": "\(device)"])
            onConnectionChange.applied?(device, true)
        case .disconnected(_, let device):
            log.debug("disconnected", ["central": "\(device)"])
            onConnectionChange.applied?(device, false)
        case .came(let central): onCentralChange.applied?(.came(central))
        case .left(let central): onCentralChange.applied?(.left(central))
        case .identified(let old, let new, let isCentral):
            log.debug("has another address", ["central": "\(new)", "before": "\(old)"])
            if isCentral { onCentralChange.applied?(.identified(old, as: new)) }
        }
    }
}
