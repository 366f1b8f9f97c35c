internal import BluejayDBus

extension BlueZClient {
    /// Calls a method that changes an adapter.
    ///
    /// `completion` is called once, on a later iteration, when `objects` has the result. If the client is
    /// released first, `completion` is not called.
    func changeAdapter(
        _ adapter: ObjectPath,
        with change: MethodCall,
        _ completion: @escaping (AdapterFailure?) -> Void
    ) {
        // bluetoothd's signals for the change may follow its reply, but precede the reply about the
        // properties.
        call(change) { [weak self] result in
            // A released client fails its calls, and no caller waits for them.
            guard let self else { return }
            switch result {
            case .failure(let error): completion(AdapterFailure(error))
            case .success:
                refresh(adapter, Adapter1.interface) { [weak self] in
                    if self != nil { completion(nil) }
                }
            }
        }
    }
}
