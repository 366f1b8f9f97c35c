internal import BluejayDBus
internal import BluejayGLib

/// What bluetoothd knows of the device itself.
extension Link {
    /// Whether the device is searched for, and bluetoothd leaves the call for that unanswered.
    package var isSearchUnanswered: Bool { discovery != nil && arbiter.isUnanswered }

    /// Gives the device a name on this machine; an empty one takes that back.
    ///
    /// - Parameters:
    ///   - alias: The name.
    ///   - completion: Called once, in a later turn, when `device` has it (bluetoothd signals it before
    ///     it answers), or with what went wrong.
    package func setAlias(_ alias: String, completion: @escaping (BlueZFailure?) -> Void) {
        let clock = client.clock
        guard let path else { return clock.later { completion(.linkLost) } }
        client.call(Device1.setAlias(path, alias), timeout: Self.disconnectTime) { result in
            var failure: BlueZFailure?
            if case .failure(let error) = result { failure = BlueZFailure(local: error) }
            // The end of the bus answers what is pending in the middle of who lets go of it.
            clock.later { completion(failure) }
        }
    }

    /// The ATT MTU was told; each characteristic does so, all of them the same.
    func mtuChanged(_ mtu: Int?) {
        guard isUp, let mtu, mtu != lastMTU else { return }
        lastMTU = mtu
        for lease in activeLeases { lease.onMTUChanged?(mtu) }
    }
}
