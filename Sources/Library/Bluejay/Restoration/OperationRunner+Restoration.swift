internal import BluejayBlueZ

extension OperationRunner {
    /// Connects to what an earlier run was connected to.
    func restore() {
        guard let current = restoration.current, let peripheral = current.peripheral else { return }
        log.restoration.debug("connecting again", ["peripheral": "\(peripheral)"])
        queue.enqueue(
            ConnectOperation(.peripheral(peripheral), self, .adopt, timeout: Restoration.timeLimit)
            {
                [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let identifier):
                    for characteristic in current.listens { listens.restore(characteristic) }
                    current.ended(identifier, nil)
                case .failure(let error):
                    // It is tried again when Bluetooth is there.
                    if case .bluetoothUnavailable? = error as? BluejayError { return }
                    current.ended(peripheral, error)
                }
            }
        )
    }
}
