/// Decides which of the connected devices are centrals of ours.
///
/// BlueZ does not say who connected to whom. A device that connected while this process had no link to
/// it came by itself, or was connected to by another process; one that asks for an attribute of ours is
/// a central whoever began the link. What was seen of a device holds until it disconnects, so that a
/// link which is joined or left later changes nothing.
package struct CentralStateMachine<Device: Hashable>: Equatable {
    package enum Change: Equatable {
        case connected(Device)
        case disconnected(Device)
        /// A connected device is a central from now on.
        case came(Device)
        /// It has gone, or has turned out to be ours.
        case left(Device)
    }

    private enum Origin {
        /// Was connected before anybody looked; taken for a central → ours
        case found
        /// Connected while no link of ours led to it.
        case came
        /// A link of ours led to it, or was about to.
        case ours
    }

    private struct Entry: Equatable {
        var origin: Origin
        var hasUsed = false

        var isCentral: Bool { hasUsed || origin != .ours }
    }

    /// The connected devices, in the order in which they came.
    package private(set) var connected: [Device] = []
    private var entries: [Device: Entry] = [:]
    private var isFirstLook = true
    /// Who has used us last, and is connected still: it does so with each request.
    private var lastUsed: Device?

    package init() {}

    /// The centrals among the connected devices.
    package var centrals: [Device] { connected.filter(isCentral) }

    /// Whether a device is connected and a central.
    package func isCentral(_ device: Device) -> Bool { entries[device]?.isCentral ?? false }

    /// Who is connected now.
    ///
    /// - Parameters:
    ///   - now: All of them, each once.
    ///   - ours: Where a link of this process leads to, or is about to.
    /// - Returns: What is to be told.
    package mutating func observed(_ now: [Device], ours: Set<Device>) -> [Change] {
        var changes = remove(connected.filter { !Set(now).contains($0) })
        for device in connected where ours.contains(device) && entries[device]?.origin == .found {
            let wasCentral = isCentral(device)
            entries[device]?.origin = .ours
            if wasCentral, !isCentral(device) { changes.append(.left(device)) }
        }
        for device in now where entries[device] == nil {
            let origin: Origin = ours.contains(device) ? .ours : isFirstLook ? .found : .came
            entries[device] = Entry(origin: origin)
            connected.append(device)
            changes.append(.connected(device))
            if isCentral(device) { changes.append(.came(device)) }
        }
        isFirstLook = false
        return changes
    }

    /// A device has read, written or subscribed to an attribute of ours.
    ///
    /// One that is not connected is not remembered.
    package mutating func used(_ device: Device) -> [Change] {
        guard device != lastUsed, let entry = entries[device] else { return [] }
        lastUsed = device
        guard !entry.hasUsed else { return [] }
        entries[device]?.hasUsed = true
        return entry.isCentral ? [] : [.came(device)]
    }

    /// The adapter has gone, or another takes its place: who is there next was there before.
    package mutating func lost() -> [Change] {
        isFirstLook = true
        return remove(connected)
    }

    private mutating func remove(_ gone: [Device]) -> [Change] {
        var changes: [Change] = []
        for device in gone {
            if isCentral(device) { changes.append(.left(device)) }
            changes.append(.disconnected(device))
            entries[device] = nil
            if lastUsed == device { lastUsed = nil }
        }
        connected.removeAll { entries[$0] == nil }
        return changes
    }
}
