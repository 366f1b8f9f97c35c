internal import BluejayDBus

/// What a link says of its attempts.
extension Link {
    /// Values that were held for an answer have been told, as far as they could be held.
    func noteLoss(_ route: ValueRoute) {
        let count = route.takeLoss()
        guard count > 0 else { return }
        log.warning(
            "values were lost: too many came while an answer was awaited",
            ["count": "\(count)"]
        )
    }

    /// bluetoothd has answered `Connect`.
    func note(_ result: CallResult) {
        switch result {
        case .success: log.debug("bluetoothd has connected")
        case .failure(let error):
            log.debug("bluetoothd has not connected", ["error": error.description])
        }
    }
}
