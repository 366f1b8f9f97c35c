/// A behaviour of BlueZ that surprises its clients.
///
/// `.ci/reliability` writes the pages in `Documentation/Reliability` from these comments and from the tests with
/// the trait `pitfall`. Each `MARK` is a page.
package enum Pitfall {
    // MARK: - Connecting

    /// `Connect` replies when the link is up, before the services are known. Bluejay waits for the services.
    case connectRepliesBeforeServices
    /// `Connect` can succeed although no link exists. Bluejay expects the link within a second, then retries.
    case connectSucceedsWithoutLink
    /// `le-connection-abort-by-local` covers nearly all failures of a link. Bluejay retries within the attempt.
    case oneTextForAllFailures
    /// `br-connection-…` occurs on a Low Energy device. Bluejay explains each text, whatever its prefix.
    case classicTextOnLowEnergy
    /// `Connect` fails while another program connects. Bluejay waits for that program, and adopts its link.
    case connectInProgress
    /// `Connect` takes up to 41 s, longer than the usual 25 s of D-Bus. Bluejay uses its own time limits.
    case connectOutlastsBusTimeout
    /// `Disconnect` cancels a pending `Connect`, and takes 2 s on an existing link. Bluejay calls it, and waits.
    case disconnectCancelsConnect
    /// A link outlives the program that opened it. Bluejay finds it again, and adopts it.
    case linkOutlivesProgram
    /// `Connect` on a connected dual-mode device tries BR/EDR. Bluejay never calls it while a link exists.
    case connectOfConnectedDevice
    /// BlueZ may connect a dual-mode device over BR/EDR. Bluejay searches with Low Energy only.
    case dualModePrefersClassic
    /// Failed attempts can leave a half-open link. Bluejay disconnects it once more.
    case halfOpenLink
    /// The kernel connects to one device at a time. Bluejay retries, and the other connections stay usable.
    case parallelConnects
    /// A scan slows down a connection attempt. Bluejay pauses its discovery meanwhile.
    case scanSlowsConnect
    /// A link can drop before its services are resolved. Bluejay retries at once.
    case dropBeforeServices
    /// `ServicesResolved` can arrive before the objects of the services. Bluejay reads the objects itself.
    case resolvedBeforeObjects
    /// Services change during a connection. Bluejay reports them, and a kept listen follows its characteristic.
    case servicesChange
    /// The cache of services outlives an update of the peripheral's firmware. Requests fail with ATT 0x01.
    case staleServiceCache
    /// An object of a device disappears 30 s after its last advertisement. Bluejay searches again.
    case temporaryDevices
    /// A device with a private address, or a beacon, disappears even sooner. A scan reports it again as new.
    case privateAddressesStayTemporary
    /// An object path has no address type. Bluejay keeps the type in the identifier.
    case addressType
    /// Pairing replaces a private address by the identity address. Bluejay follows the object.
    case addressChangesByPairing
    /// The path of `hci1` is a prefix of that of `hci10`. Bluejay compares whole elements.
    case pathPrefix
    /// A device has children other than services. Bluejay selects objects by interface.
    case foreignChildren
    /// A controller has a limit of links and bonds. The error says that the adapter is full.
    case fullController
    /// BlueZ reports the reason of a lost link from 5.83 on. Bluejay passes it on, and `nil` before.
    case disconnectReason
    /// Calls that a lost link interrupts fail late or never. Bluejay fails them with the link.
    case disconnectDuringCall
    /// Other libraries remove a device so that notifications work again. Bluejay keeps the device.
    case removalIsNoRemedy

    // MARK: - Discovery

    /// A second `StartDiscovery` of one client is `InProgress`, as on a busy controller. Bluejay retries.
    case discoveryInProgress
    /// Discovery is `NotReady` while the adapter is off. Bluejay reports Bluetooth as unavailable.
    case discoveryNotReady
    /// BlueZ merges the filters of all clients. Bluejay filters again.
    case mergedFilters
    /// Without `Transport`, half of a scan is BR/EDR inquiry. Bluejay always sets `le`.
    case interleavedInquiry
    /// An unfiltered scan hides devices that are not discoverable. Bluejay always sets a filter.
    case hiddenDevices
    /// Manufacturer data of earlier advertisements accumulates. With duplicates, Bluejay reports the latest one.
    case accumulatedData
    /// BlueZ hides small changes of the RSSI, and may refuse or release a monitor. Bluejay falls back to a scan.
    case hiddenSignals

    // MARK: - Values

    /// A subscription belongs to the client and outlives the link. Bluejay ends it with its listen.
    case subscriptionOutlivesLink
    /// A value may precede the reply of `StartNotify`. A listen reports its subscription before the first value.
    case valueBeforeReply
    /// A read is signalled like a notification. Bluejay distinguishes the two.
    case readLooksLikeNotification
    /// `AcquireNotify` loses values that arrive before its socket. Bluejay uses signals unless you ask for sockets.
    case acquiredSocketLosesFirst
    /// An acquired characteristic excludes other clients. Bluejay falls back to signals.
    case acquiredExcludesOthers
    /// `NotifyAcquired` is missing for indications, although `AcquireNotify` works. Bluejay looks at the flags.
    case acquiredPropertyMissing
    /// An empty notification on a socket looks like its end. Bluejay distinguishes the two.
    case emptyNotification
    /// An acquired socket must be closed with its link. Bluejay closes it, and leaks no descriptor.
    case socketLifetime
    /// BlueZ drops values for a socket that is full. Bluejay reads its sockets on the loop at once.
    case fullNotifySocket
    /// An acquired write socket blocks other writes, and truncates packets at 512 bytes. Bluejay releases it.
    case acquiredWrite
    /// BlueZ does not compare the type of a write with the flags. Bluejay does.
    case writeTypeUnchecked
    /// A write without response succeeds at once and has no flow control. Bluejay limits and paces writes.
    case commandsWithoutFlowControl
    /// A long write becomes a prepared one. Bluejay writes up to 512 bytes, and rejects more.
    case longWrites
    /// Two calls on one characteristic collide. Bluejay sends one at a time, and retries after other programs.
    case concurrentCalls
    /// `Not connected` is a text of `org.bluez.Error.Failed`. Bluejay compares the text.
    case notConnectedIsText
    /// `MTU` exists from 5.62 on, and changes during a connection. Bluejay follows it.
    case mtuChanges
    /// ATT errors are texts, and three of them share one. Bluejay restores the codes.
    case attributeErrorsAreTexts
    /// A request without a response ends the link after 30 s. Bluejay waits for the response before the next one.
    case attributeTimeoutEndsLink
    /// A read can start a pairing. Bluejay calls the same handler as for `pair`.
    case readStartsPairing
    /// The battery service is hidden, or read-only from 5.80 on. Bluejay reads it in both ways.
    case claimedServices
    /// Descriptor 2902 cannot be written. The error names the alternative.
    case configurationDescriptor
    /// BlueZ signs a write without a notice.
    case signedWrites
    /// Several changes arrive in one signal, always before the reply. Bluejay keeps this order.
    case coalescedSignals

    // MARK: - Pairing

    /// Without an agent, BlueZ pairs without a passkey or not at all. Bluejay registers one for your handler.
    case noAgent
    /// A service of this computer needs a trusted device or an agent. Your handler decides.
    case trustedDevices
    /// `Pair` on a paired device never replies on 5.66. Bluejay does not call it.
    case pairOfPairedDevice
    /// A peripheral that has lost its keys refuses each link. The error names `forget`.
    case staleBond
    /// Pairing replaces the address of a device. Requests and connections stay with the device.
    case pairingChangesObjects
    /// A private address changes while a device is connected or known. Bluejay keeps one identifier.
    case privateAddresses

    // MARK: - Adapter, bluetoothd and bus

    /// A restart of bluetoothd loses all state. Bluejay reconnects, and registers everything again.
    case daemonRestart
    /// The bus restarts, and libdbus would end the program. Bluejay opens another connection.
    case busLoss
    /// Each match rule costs the bus. Bluejay uses each rule once.
    case matchRuleCost
    /// A change between the subscription and the first snapshot is easily lost. Bluejay subscribes first.
    case startOrder
    /// The policy of the bus may deny access. The error says `unauthorized`.
    case permissions
    /// bluetoothd may be missing, masked or starting. The errors differ.
    case missingDaemon
    /// rfkill, or another change of the power, refuses a change. Bluejay names the reason, or retries.
    case powerRefused
    /// An adapter returns under another number. Bluejay finds it by its address.
    case adapterHotPlug
    /// Another program can disconnect your device. Bluejay reports the loss, and reconnects.
    case otherProgramDisconnects
    /// Programs that use the controller below bluetoothd disturb its scans.
    case rawControllerAccess
    /// A removed object is `UnknownObject` or, with an old libdbus, `UnknownMethod`. Both mean its removal.
    case removedObjectErrors
    /// Experimental interfaces need an option of bluetoothd. Bluejay looks for the interface, not for the version.
    case experimentalFeatures
    /// `Set` of a property fails in several ways. The call fails with the reason.
    case propertyErrors
    /// Connection parameters are not on the bus.
    case connectionParameters
    /// Regressions of the kernel look like faults of a library. `bluejay doctor` knows the worst.
    case kernelRegressions
}
