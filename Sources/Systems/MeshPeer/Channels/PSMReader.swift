internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayL2CAP
internal import FoundationEssentials

/// Reads the PSM that a peer serves, and keeps the link until the channel is open.
///
/// Confined to the loop of the host.
final class PSMReader {
    /// The limit of each step.
    static let timeout = Duration.seconds(10)

    private let peer: UUID
    private let access: BluetoothAccess
    private var adapterWait: ObservationToken?
    private var link: PeripheralLink?
    private var completion: ((Result<UInt16, any Error>) -> Void)?

    init(_ peer: UUID, _ host: BluetoothHost) {
        self.peer = peer
        access = BluetoothAccess(host)
    }

    /// - Parameter completion: Called once, unless `end` is called first.
    func read(_ completion: @escaping (Result<UInt16, any Error>) -> Void) {
        self.completion = completion
        guard !access.isEnding else { return finish(.failure(BluejayError.stopped)) }
        access.followLoop { [weak self] completion in
            self?.finish(.failure(BluejayError.stopped))
            self?.end()
            completion()
        }
        adapterWait = access.open().whenUsable(within: Self.timeout) { [weak self] result in
            switch result {
            case .success: self?.connect()
            case .failure(let failure):
                self?.finish(.failure(BluejayError.bluetoothUnavailable(failure.state)))
            }
        }
    }

    func end() {
        adapterWait = nil
        completion = nil
        link?.release()
        link = nil
        access.close()
    }

    private func connect() {
        let identifier = PeripheralIdentifier(uuid: peer, name: nil)
        guard let address = identifier.deviceAddress, let link = access.link(to: address) else {
            return finish(.failure(BluejayError.peripheralNotFound(identifier)))
        }
        let connection = PeripheralLink(link, within: Self.timeout) { [weak self] event in
            switch event {
            case .up: self?.readCharacteristic()
            case .failed(let failure): self?.fail(failure)
            case .started, .progressed, .ended, .deviceChanged, .servicesChanged, .addressChanged:
                break
            }
        }
        self.link = connection
        connection.connect()
    }

    private func readCharacteristic() {
        guard let lease = link?.lease else { return }
        guard let psm = lease.link.characteristic(MeshBLEConstants.psm) else {
            return finish(.failure(BluejayError.missingCharacteristic(MeshBLEConstants.psm)))
        }
        lease.read(psm, within: Self.timeout) { [weak self] result in
            switch result {
            case .success(let value): self?.finish(Self.decodePSM(value))
            case .failure(let failure): self?.fail(.bluez(failure))
            }
        }
    }

    /// The PSM in a value, if a peer can listen on it.
    private static func decodePSM(_ value: Data) -> Result<UInt16, any Error> {
        let bytes = Array(value)
        guard bytes.count >= 2 else { return .failure(BluejayError.channelRefused) }
        let psm = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        guard psm != 0 else { return .failure(BluejayError.channelRefused) }
        return .success(psm)
    }

    private func fail(_ failure: LinkFailure) {
        finish(
            .failure(BluejayError(.link(failure), psm: 0, state: access.tracker?.state ?? .unknown))
        )
    }

    private func finish(_ result: Result<UInt16, any Error>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }
}
