// `Bluejay.Timeout` is looked for in the class Bluejay, which hides the module of the same name, so
// the class has the names that code for iOS writes with the module in front. An alias cannot refer to a
// type of its own name in this module: those of this module go by way of an underscored one.

extension Bluejay {
    /// ``BluetoothSendable``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias Sendable = BluejayCore.BluetoothSendable

    /// ``BluejayError``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias BluejayError = BluejayCore.BluejayError

    /// ``BluetoothUUID``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias BluetoothUUID = BluejayCore.BluetoothUUID

    /// ``CBUUID``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias CBUUID = BluejayCore.CBUUID

    /// ``CharacteristicIdentifier``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias CharacteristicIdentifier = BluejayCore.CharacteristicIdentifier

    /// ``PeripheralIdentifier``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias PeripheralIdentifier = BluejayCore.PeripheralIdentifier

    /// ``Receivable``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias Receivable = BluejayCore.Receivable

    /// ``ServiceIdentifier``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias ServiceIdentifier = BluejayCore.ServiceIdentifier

    /// ``Timeout``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias Timeout = BluejayCore.Timeout

    /// ``ConnectionObserver``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias ConnectionObserver = _BluejayConnectionObserver

    /// ``ConnectionResult``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias ConnectionResult = _BluejayConnectionResult

    /// ``DisconnectHandler``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias DisconnectHandler = _BluejayDisconnectHandler

    /// ``DisconnectionResult``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias DisconnectionResult = _BluejayDisconnectionResult

    /// ``LogObserver``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias LogObserver = _BluejayLogObserver

    /// ``ReadResult``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias ReadResult<R> = _BluejayReadResult<R>

    #if Foundation
        /// ``RSSIObserver``, with the name of the module in front.
        @_documentation(visibility: internal)
        public typealias RSSIObserver = _BluejayRSSIObserver
    #endif

    /// ``RunResult``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias RunResult<R> = _BluejayRunResult<R>

    /// ``ServiceObserver``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias ServiceObserver = _BluejayServiceObserver

    /// ``WriteResult``, with the name of the module in front.
    @_documentation(visibility: internal)
    public typealias WriteResult = _BluejayWriteResult
}

/// The way to `Bluejay.ConnectionObserver`.
@_documentation(visibility: internal)
public typealias _BluejayConnectionObserver = ConnectionObserver

/// The way to `Bluejay.ConnectionResult`.
@_documentation(visibility: internal)
public typealias _BluejayConnectionResult = ConnectionResult

/// The way to `Bluejay.DisconnectHandler`.
@_documentation(visibility: internal)
public typealias _BluejayDisconnectHandler = DisconnectHandler

/// The way to `Bluejay.DisconnectionResult`.
@_documentation(visibility: internal)
public typealias _BluejayDisconnectionResult = DisconnectionResult

/// The way to `Bluejay.LogObserver`.
@_documentation(visibility: internal)
public typealias _BluejayLogObserver = LogObserver

/// The way to `Bluejay.ReadResult`.
@_documentation(visibility: internal)
public typealias _BluejayReadResult<R> = ReadResult<R>

#if Foundation
    /// The way to `Bluejay.RSSIObserver`.
    @_documentation(visibility: internal)
    public typealias _BluejayRSSIObserver = RSSIObserver
#endif

/// The way to `Bluejay.RunResult`.
@_documentation(visibility: internal)
public typealias _BluejayRunResult<R> = RunResult<R>

/// The way to `Bluejay.ServiceObserver`.
@_documentation(visibility: internal)
public typealias _BluejayServiceObserver = ServiceObserver

/// The way to `Bluejay.WriteResult`.
@_documentation(visibility: internal)
public typealias _BluejayWriteResult = WriteResult
