package import BluejayCore
package import BluejayDBus
package import BluejayGLib

/// The Bluetooth resources that all users on one context share for one bus: client, scans, links.
package final class BlueZEngine {
    package let client: BlueZClient
    package let links: LinkRegistry
    var powerSwitches: [ObjectIdentifier: PowerSwitch] = [:]

    /// The engine that all users on `context` share for one bus.
    package static func shared(on context: MainContext, address: BusAddress) -> BlueZEngine {
        context.sharedObject("BlueZEngine " + address.text) {
            BlueZEngine(.shared(by: .shared(on: context, address: address)))
        }
    }

    /// The engine that all users on a loop share for one bus.
    ///
    /// A nil `busAddress` is the system bus, or the value of `DBUS_SYSTEM_BUS_ADDRESS`.
    package static func shared(on loop: MainLoop, busAddress: String?) -> BlueZEngine {
        shared(on: loop.context, address: BusAddress(busAddress, of: loop.context))
    }

    /// Creates an engine whose links no other engine shares.
    package convenience init(_ client: BlueZClient) {
        self.init(LinkRegistry(client))
    }

    private init(_ links: LinkRegistry) {
        client = links.client
        self.links = links
    }

    /// Answers pairing requests from bluetoothd.
    package var pairingAgent: PairingAgent { links.pairingAgent }

    package var discoverySessions: DiscoverySessions { links.discoverySessions }

    package func discoverySession(_ adapter: ObjectPath) -> DiscoverySession {
        discoverySessions.session(of: adapter)
    }

    /// The only link to a device over an adapter.
    package func link(to address: DeviceAddress, over adapter: ObjectPath) -> Link {
        links.link(to: address, over: adapter)
    }
}
