// The class Bluejay hides the module of the same name, so `Bluejay.Timeout` refers to a member of the class.
// These aliases provide the names that iOS code qualifies with the module. An alias cannot refer to a type of
// the same name in this module; such types use an intermediate alias with an underscore.

extension Bluejay {
    /// ``BluetoothSendable``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias Sendable = BluejayCore.BluetoothSendable

    /// ``BluejayError``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias BluejayError = BluejayCore.BluejayError

    /// ``BluetoothUUID``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias BluetoothUUID = BluejayCore.BluetoothUUID

    /// ``CBUUID``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias CBUUID = BluejayCore.CBUUID

    /// ``CharacteristicIdentifier``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias CharacteristicIdentifier = BluejayCore.CharacteristicIdentifier

    /// ``PeripheralIdentifier``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias PeripheralIdentifier = BluejayCore.PeripheralIdentifier

    /// ``Receivable``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias Receivable = BluejayCore.Receivable

    /// ``ServiceIdentifier``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias ServiceIdentifier = BluejayCore.ServiceIdentifier

    /// ``Timeout``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias Timeout = BluejayCore.Timeout

    /// ``ConnectionObserver``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias ConnectionObserver = _BluejayConnectionObserver

    /// ``ConnectionResult``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias ConnectionResult = _BluejayConnectionResult

    /// ``DisconnectHandler``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias DisconnectHandler = _BluejayDisconnectHandler

    /// ``DisconnectionResult``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias DisconnectionResult = _BluejayDisconnectionResult

    /// ``LogObserver``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias LogObserver = _BluejayLogObserver

    /// ``ReadResult``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias ReadResult<R> = _BluejayReadResult<R>

    #if Foundation || Encryption
        /// ``RSSIObserver``, qualified with the module name.
        @_documentation(visibility: internal)
        public typealias RSSIObserver = _BluejayRSSIObserver
    #endif

    /// ``RunResult``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias RunResult<R> = _BluejayRunResult<R>

    /// ``ServiceObserver``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias ServiceObserver = _BluejayServiceObserver

    /// ``WriteResult``, qualified with the module name.
    @_documentation(visibility: internal)
    public typealias WriteResult = _BluejayWriteResult
}

/// The intermediate alias for `Bluejay.ConnectionObserver`.
@_documentation(visibility: internal)
public typealias _BluejayConnectionObserver = ConnectionObserver

/// The intermediate alias for `Bluejay.ConnectionResult`.
@_documentation(visibility: internal)
public typealias _BluejayConnectionResult = ConnectionResult

/// The intermediate alias for `Bluejay.DisconnectHandler`.
@_documentation(visibility: internal)
public typealias _BluejayDisconnectHandler = DisconnectHandler

/// The intermediate alias for `Bluejay.DisconnectionResult`.
@_documentation(visibility: internal)
public typealias _BluejayDisconnectionResult = DisconnectionResult

/// The intermediate alias for `Bluejay.LogObserver`.
@_documentation(visibility: internal)
public typealias _BluejayLogObserver = LogObserver

/// The intermediate alias for `Bluejay.ReadResult`.
@_documentation(visibility: internal)
public typealias _BluejayReadResult<R> = ReadResult<R>

#if Foundation || Encryption
    /// The intermediate alias for `Bluejay.RSSIObserver`.
    @_documentation(visibility: internal)
    public typealias _BluejayRSSIObserver = RSSIObserver
#endif

/// The intermediate alias for `Bluejay.RunResult`.
@_documentation(visibility: internal)
public typealias _BluejayRunResult<R> = RunResult<R>

/// The intermediate alias for `Bluejay.ServiceObserver`.
@_documentation(visibility: internal)
public typealias _BluejayServiceObserver = ServiceObserver

/// The intermediate alias for `Bluejay.WriteResult`.
@_documentation(visibility: internal)
public typealias _BluejayWriteResult = WriteResult
