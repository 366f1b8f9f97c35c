package import BluejayDBus

extension BlueZClient {
    /// Calls a method of a bluetoothd object by its names.
    @discardableResult
    package func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) -> BusCall {
        call(
            MethodCall(BlueZ.service, path, interface, member, arguments),
            timeout: timeout,
            reply: reply
        )
    }
}
