/// Decides which connected devices are centrals.
///
/// BlueZ does not report which side connected. If a device connects without a link of this process, it
/// counts as a central, although another process may have connected to it. A device that accesses a
/// local attribute is a central regardless of who connected. The decision holds until the device
/// disconnects: links that are joined or left later do not change it.
package struct CentralStateMachine<Device: Hashable>: Equatable {
    package enum Change: Equatable {
        case connected(Device)
        case disconnected(Device)
        case centralConnected(Device)
        /// The central disconnected, or turned out to be connected by this process.
        case centralDisconnected(Device)
    }

    private enum Origin {
        /// Connected before the first observation; counts as a central. Next: `outgoing`.
        case preexisting
        /// Connected while this process had no link to it.
        case incoming
        /// This process had a link to it, or was connecting.
        case outgoing
    }

    private struct Entry: Equatable {
        var origin: Origin
        var hasAccessedAttribute = false

        var isCentral: Bool { hasAccessedAttribute || origin != .outgoing }
    }

    /// The connected devices, in the order of connection.
    package private(set) var connected: [Device] = []
    private var entries: [Device: Entry] = [:]
    private var isFirstObservation = true
    /// The last device that used an attribute, if still connected; saves a lookup.
    private var lastAccessor: Device?

    package init() {}

    package var centrals: [Device] { connected.filter(isCentral) }

    /// Whether a device is connected and a central.
    package func isCentral(_ device: Device) -> Bool { entries[device]?.isCentral ?? false }

    /// Updates the connected devices.
    ///
    /// - Parameters:
    ///   - now: All connected devices, each once.
    ///   - linked: The devices to which this process has a link or is connecting.
    /// - Returns: The changes to report.
    package mutating func observed(_ now: [Device], linked: Set<Device>) -> [Change] {
        var changes = remove(connected.filter { !Set(now).contains($0) })
        for device in connected
        where linked.contains(device) && entries[device]?.origin == .preexisting {
            let wasCentral = isCentral(device)
            entries[device]?.origin = .outgoing
            if wasCentral, !isCentral(device) { changes.append(.centralDisconnected(device)) }
        }
        for device in now where entries[device] == nil {
            let origin: Origin =
                linked.contains(device) ? .outgoing : isFirstObservation ? .preexisting : .incoming
            entries[device] = Entry(origin: origin)
            connected.append(device)
            changes.append(.connected(device))
            if isCentral(device) { changes.append(.centralConnected(device)) }
        }
        isFirstObservation = false
        return changes
    }

    /// A device read, wrote or subscribed to a local attribute.
    ///
    /// Devices that are not connected are ignored.
    package mutating func attributeAccessed(_ device: Device) -> [Change] {
        guard device != lastAccessor, let entry = entries[device] else { return [] }
        lastAccessor = device
        guard !entry.hasAccessedAttribute else { return [] }
        entries[device]?.hasAccessedAttribute = true
        return entry.isCentral ? [] : [.centralConnected(device)]
    }

    /// The adapter disappeared or is replaced; devices found next count as connected before.
    package mutating func lost() -> [Change] {
        isFirstObservation = true
        return remove(connected)
    }

    private mutating func remove(_ removed: [Device]) -> [Change] {
        var changes: [Change] = []
        for device in removed {
            if isCentral(device) { changes.append(.centralDisconnected(device)) }
            changes.append(.disconnected(device))
            entries[device] = nil
            if lastAccessor == device { lastAccessor = nil }
        }
        connected.removeAll { entries[$0] == nil }
        return changes
    }
}
