internal import BluejayDBus

/// What a link says of its attempts.
extension Link {
    /// bluetoothd has answered `Connect`.
    func note(_ result: CallResult) {
        switch result {
        case .success: log.debug("bluetoothd has connected")
        case .failure(let error):
            log.debug("bluetoothd has not connected", ["error": error.description])
        }
    }
}
