/// What bluetoothd finds out of a peer by itself.
extension Device {
    private static let deviceInformation = "0000180a-0000-1000-8000-00805f9b34fb"
    private static let plugAndPlay = "00002a50-0000-1000-8000-00805f9b34fb"

    /// Reads the PnP ID of a peer that has one, and tells it as `Modalias`.
    func readPlugAndPlay() {
        let service = gatt.services.first { $0.uuid == Self.deviceInformation }
        let found = service?.characteristics.first { $0.uuid == Self.plugAndPlay }
        guard let found, let client, client.server.modalias == nil else { return }
        client.send(.read(handle: found.valueHandle, offset: 0)) { [weak self] result in
            guard let self, case .success(let bytes) = result, let new = Self.modalias(bytes),
                new != modalias
            else { return }
            modalias = new
            changed(["Modalias"])
        }
    }

    /// For example `usb:v1D6Bp0246d0542`; nil for a source that nobody knows.
    private static func modalias(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 7, bytes[0] == 1 || bytes[0] == 2 else { return nil }
        let numbers = [(2, 1), (4, 3), (6, 5)].map { high, low in
            [bytes[high], bytes[low]].map { Hexadecimal.text($0, digits: 2) }.joined().uppercased()
        }
        let source = bytes[0] == 1 ? "bluetooth" : "usb"
        return "\(source):v\(numbers[0])p\(numbers[1])d\(numbers[2])"
    }

    /// The ends have agreed to another size of a packet.
    func mtuChanged() {
        guard isConnected, world.kind.hasMTU else { return }
        gatt.mtuChanged()
    }
}
