import BluejayBlueZ
import BluejayCore

@testable import BluejayDoctor

extension Evidence {
    /// A Debian 12 without any trouble.
    static var healthy: Evidence {
        var evidence = Evidence()
        evidence.machine.kernel = "6.1.0-18-amd64"
        evidence.machine.hasBluetooth = true
        evidence.machine.hasSystemd = true
        evidence.machine.hasBusProgram = true
        evidence.bus.address = "unix:path=/run/bus"
        evidence.bus.socket = .present("/run/bus")
        evidence.bus.reachability = .reachable
        evidence.service.isInstalled = true
        evidence.service.process = 812
        evidence.user.id = 1000
        evidence.user.name = "anna"
        evidence.user.groups = ["anna"]
        evidence.policies = [
            PolicyFile(path: "/etc/b.conf", policy: BusPolicy(text: FakeComputer.debianPolicy))
        ]
        evidence.adapters = [.hci(0)]
        return evidence
    }

    func but(_ change: (inout Evidence) -> Void) -> Evidence {
        var evidence = self
        change(&evidence)
        return evidence
    }

    /// The report on one topic, without its last line.
    func report(_ topic: Finding.Topic) -> [String] {
        TextReport.lines(Diagnosis.findings(self).filter { $0.topic == topic }).dropLast()
    }

    var troubles: [Finding.Topic] {
        Diagnosis.findings(self).filter { $0.verdict == .trouble }.map(\.topic)
    }
}

extension AdapterEvidence {
    /// An adapter that is on and supports everything, of BlueZ 5.86 by default.
    static func hci(_ number: Int, _ version: BlueZVersion? = BlueZVersion(5, 86))
        -> AdapterEvidence
    {
        var facts = BluetoothAdapter(name: "hci\(number)", address: "00:AA:01:00:00:0\(number)")
        facts.alias = "desk"
        facts.isPowered = true
        facts.bluezVersion = version
        facts.features = [
            .central, .peripheral, .centralAndPeripheral, .advertising, .advertisementMonitors,
        ]
        var adapter = AdapterEvidence(facts)
        adapter.availableInstances = 5
        return adapter
    }

    var off: AdapterEvidence {
        var adapter = self
        adapter.adapter.isPowered = false
        return adapter
    }
}
