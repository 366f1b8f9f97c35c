internal import BluejayBlueZ

extension OperationRunner {
    /// Connects to what an earlier run was connected to.
    func restore() {
        guard let restoration, let peripheral = restoration.peripheral else { return }
        log.restoration.debug("connecting again", ["peripheral": "\(peripheral)"])
        enqueue(
            ConnectOperation(.peripheral(peripheral), .adopt, timeout: Restoration.timeLimit) {
                [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let identifier):
                    for characteristic in restoration.listens { restoreListen(characteristic) }
                    restoration.ended(identifier, nil)
                case .failure(let error):
                    // It is tried again when Bluetooth is there.
                    if case .bluetoothUnavailable? = error as? BluejayError { return }
                    restoration.ended(peripheral, error)
                }
            }
        )
    }

    /// Writes down what a later run shall find.
    func remember() {
        guard let restoration, !restoration.isUnderWay, let peripheral else { return }
        restoration.remember(peripheral, listens.installedKeys)
    }
}
