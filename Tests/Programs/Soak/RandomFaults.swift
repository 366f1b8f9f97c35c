import BluejaySimulator
import TestSupport

/// Random faults of devices, adapters, bluetoothd and the bus; equal seeds give equal faults.
struct RandomFaults {
    private var generator: SeededGenerator
    private let addresses: [String]

    init(_ seed: UInt64, of addresses: [String]) {
        generator = SeededGenerator(seed: seed)
        self.addresses = addresses
    }

    /// The next fault, which occurs at once; most faults concern one device.
    mutating func next() -> FaultEvent {
        let address = addresses[Int.random(in: 0..<addresses.count, using: &generator)]
        let seconds = Duration.seconds(Int.random(in: 1...25, using: &generator))
        let reasons = SimulatedDisconnectReason.allCases
        let reason = reasons[Int.random(in: 0..<reasons.count, using: &generator)]
        let fault: Fault =
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<30: .linkLost(address, reason)
            case 30..<50: .deviceLeft(address)
            case 50..<65: .servicesChanged(address)
            case 65..<75: .deviceSilent(address)
            case 75..<84: .otherProgramDisconnects(address)
            case 84..<90: .otherProgramScans(true)
            case 90..<93: .daemonFrozen(for: seconds)
            case 93..<96: .adapterPowered(0, false)
            case 96..<98: .daemonKilled
            case 98: .adapterUnplugged(0)
            default: .busRestarted
            }
        return FaultEvent(on: .time(.zero), .world(fault), for: seconds)
    }
}
