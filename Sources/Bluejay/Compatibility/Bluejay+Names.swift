// `Bluejay.Timeout` is looked for in the class Bluejay, which hides the module of the same name, so
// the class has the module's names too. An alias cannot refer to a type of its own name: each goes
// by way of an underscored one.

extension Bluejay {
    /// ``Advertisement``, with the name of the module in front.
    public typealias Advertisement = _BluejayAdvertisement

    /// ``ATTError``, with the name of the module in front.
    public typealias ATTError = _BluejayATTError

    /// ``AutoReconnectMode``, with the name of the module in front.
    public typealias AutoReconnectMode = _BluejayAutoReconnectMode

    /// ``BackgroundRestoreCompletion``, with the name of the module in front.
    public typealias BackgroundRestoreCompletion = _BluejayBackgroundRestoreCompletion

    /// ``BackgroundRestoreConfig``, with the name of the module in front.
    public typealias BackgroundRestoreConfig = _BluejayBackgroundRestoreConfig

    /// ``BackgroundRestoreMode``, with the name of the module in front.
    public typealias BackgroundRestoreMode = _BluejayBackgroundRestoreMode

    /// ``BackgroundRestorer``, with the name of the module in front.
    public typealias BackgroundRestorer = _BluejayBackgroundRestorer

    /// ``BluejayError``, with the name of the module in front.
    public typealias BluejayError = _BluejayBluejayError

    /// ``BluetoothInteger``, with the name of the module in front.
    public typealias BluetoothInteger = _BluejayBluetoothInteger

    /// ``BluetoothState``, with the name of the module in front.
    public typealias BluetoothState = _BluejayBluetoothState

    /// ``BluetoothUUID``, with the name of the module in front.
    public typealias BluetoothUUID = _BluejayBluetoothUUID

    /// ``CBCentralManager``, with the name of the module in front.
    public typealias CBCentralManager = _BluejayCBCentralManager

    /// ``CBCharacteristicWriteType``, with the name of the module in front.
    public typealias CBCharacteristicWriteType = _BluejayCBCharacteristicWriteType

    /// ``CBPeripheral``, with the name of the module in front.
    public typealias CBPeripheral = _BluejayCBPeripheral

    /// ``CBUUID``, with the name of the module in front.
    public typealias CBUUID = _BluejayCBUUID

    /// ``CentralManager``, with the name of the module in front.
    public typealias CentralManager = _BluejayCentralManager

    /// ``CharacteristicIdentifier``, with the name of the module in front.
    public typealias CharacteristicIdentifier = _BluejayCharacteristicIdentifier

    /// ``CharacteristicProperties``, with the name of the module in front.
    public typealias CharacteristicProperties = _BluejayCharacteristicProperties

    /// ``ConnectedPeripheral``, with the name of the module in front.
    public typealias ConnectedPeripheral = _BluejayConnectedPeripheral

    /// ``ConnectionObserver``, with the name of the module in front.
    public typealias ConnectionObserver = _BluejayConnectionObserver

    /// ``ConnectionResult``, with the name of the module in front.
    public typealias ConnectionResult = _BluejayConnectionResult

    /// ``DataPadding``, with the name of the module in front.
    public typealias DataPadding = _BluejayDataPadding

    /// ``DisconnectHandler``, with the name of the module in front.
    public typealias DisconnectHandler = _BluejayDisconnectHandler

    /// ``DisconnectionResult``, with the name of the module in front.
    public typealias DisconnectionResult = _BluejayDisconnectionResult

    /// ``DisconnectReason``, with the name of the module in front.
    public typealias DisconnectReason = _BluejayDisconnectReason

    /// ``HeartRateReading``, with the name of the module in front.
    public typealias HeartRateReading = _BluejayHeartRateReading

    /// ``LaunchOptions``, with the name of the module in front.
    public typealias LaunchOptions = _BluejayLaunchOptions

    /// ``ListenAction``, with the name of the module in front.
    public typealias ListenAction = _BluejayListenAction

    /// ``ListenRestoreAction``, with the name of the module in front.
    public typealias ListenRestoreAction = _BluejayListenRestoreAction

    /// ``ListenRestorer``, with the name of the module in front.
    public typealias ListenRestorer = _BluejayListenRestorer

    /// ``LogObserver``, with the name of the module in front.
    public typealias LogObserver = _BluejayLogObserver

    /// ``MainLoop``, with the name of the module in front.
    public typealias MainLoop = _BluejayMainLoop

    /// ``MultipleListenOption``, with the name of the module in front.
    public typealias MultipleListenOption = _BluejayMultipleListenOption

    /// ``PeripheralCharacteristic``, with the name of the module in front.
    public typealias PeripheralCharacteristic = _BluejayPeripheralCharacteristic

    /// ``PeripheralIdentifier``, with the name of the module in front.
    public typealias PeripheralIdentifier = _BluejayPeripheralIdentifier

    /// ``PeripheralService``, with the name of the module in front.
    public typealias PeripheralService = _BluejayPeripheralService

    /// ``Receivable``, with the name of the module in front.
    public typealias Receivable = _BluejayReceivable

    /// ``ReadResult``, with the name of the module in front.
    public typealias ReadResult<R> = _BluejayReadResult<R>

    /// ``ReconnectOptions``, with the name of the module in front.
    public typealias ReconnectOptions = _BluejayReconnectOptions

    /// ``RestoreIdentifier``, with the name of the module in front.
    public typealias RestoreIdentifier = _BluejayRestoreIdentifier

    /// ``RSSIObserver``, with the name of the module in front.
    public typealias RSSIObserver = _BluejayRSSIObserver

    /// ``RunResult``, with the name of the module in front.
    public typealias RunResult<R> = _BluejayRunResult<R>

    /// ``ScanAction``, with the name of the module in front.
    public typealias ScanAction = _BluejayScanAction

    /// ``ScanDiscovery``, with the name of the module in front.
    public typealias ScanDiscovery = _BluejayScanDiscovery

    /// ``ServiceIdentifier``, with the name of the module in front.
    public typealias ServiceIdentifier = _BluejayServiceIdentifier

    /// ``ServiceObserver``, with the name of the module in front.
    public typealias ServiceObserver = _BluejayServiceObserver

    /// ``StartMode``, with the name of the module in front.
    public typealias StartMode = _BluejayStartMode

    /// ``StartOptions``, with the name of the module in front.
    public typealias StartOptions = _BluejayStartOptions

    /// ``SynchronizedPeripheral``, with the name of the module in front.
    public typealias SynchronizedPeripheral = _BluejaySynchronizedPeripheral

    /// ``Timeout``, with the name of the module in front.
    public typealias Timeout = _BluejayTimeout

    /// ``WarningOptions``, with the name of the module in front.
    public typealias WarningOptions = _BluejayWarningOptions

    /// ``WriteResult``, with the name of the module in front.
    public typealias WriteResult = _BluejayWriteResult

    /// ``WriteType``, with the name of the module in front.
    public typealias WriteType = _BluejayWriteType
}

/// The way to `Bluejay.Advertisement`.
public typealias _BluejayAdvertisement = Advertisement

/// The way to `Bluejay.ATTError`.
public typealias _BluejayATTError = ATTError

/// The way to `Bluejay.AutoReconnectMode`.
public typealias _BluejayAutoReconnectMode = AutoReconnectMode

/// The way to `Bluejay.BackgroundRestoreCompletion`.
public typealias _BluejayBackgroundRestoreCompletion = BackgroundRestoreCompletion

/// The way to `Bluejay.BackgroundRestoreConfig`.
public typealias _BluejayBackgroundRestoreConfig = BackgroundRestoreConfig

/// The way to `Bluejay.BackgroundRestoreMode`.
public typealias _BluejayBackgroundRestoreMode = BackgroundRestoreMode

/// The way to `Bluejay.BackgroundRestorer`.
public typealias _BluejayBackgroundRestorer = BackgroundRestorer

/// The way to `Bluejay.BluejayError`.
public typealias _BluejayBluejayError = BluejayError

/// The way to `Bluejay.BluetoothInteger`.
public typealias _BluejayBluetoothInteger = BluetoothInteger

/// The way to `Bluejay.BluetoothState`.
public typealias _BluejayBluetoothState = BluetoothState

/// The way to `Bluejay.BluetoothUUID`.
public typealias _BluejayBluetoothUUID = BluetoothUUID

/// The way to `Bluejay.CBCentralManager`.
public typealias _BluejayCBCentralManager = CBCentralManager

/// The way to `Bluejay.CBCharacteristicWriteType`.
public typealias _BluejayCBCharacteristicWriteType = CBCharacteristicWriteType

/// The way to `Bluejay.CBPeripheral`.
public typealias _BluejayCBPeripheral = CBPeripheral

/// The way to `Bluejay.CBUUID`.
public typealias _BluejayCBUUID = CBUUID

/// The way to `Bluejay.CentralManager`.
public typealias _BluejayCentralManager = CentralManager

/// The way to `Bluejay.CharacteristicIdentifier`.
public typealias _BluejayCharacteristicIdentifier = CharacteristicIdentifier

/// The way to `Bluejay.CharacteristicProperties`.
public typealias _BluejayCharacteristicProperties = CharacteristicProperties

/// The way to `Bluejay.ConnectedPeripheral`.
public typealias _BluejayConnectedPeripheral = ConnectedPeripheral

/// The way to `Bluejay.ConnectionObserver`.
public typealias _BluejayConnectionObserver = ConnectionObserver

/// The way to `Bluejay.ConnectionResult`.
public typealias _BluejayConnectionResult = ConnectionResult

/// The way to `Bluejay.DataPadding`.
public typealias _BluejayDataPadding = DataPadding

/// The way to `Bluejay.DisconnectHandler`.
public typealias _BluejayDisconnectHandler = DisconnectHandler

/// The way to `Bluejay.DisconnectionResult`.
public typealias _BluejayDisconnectionResult = DisconnectionResult

/// The way to `Bluejay.DisconnectReason`.
public typealias _BluejayDisconnectReason = DisconnectReason

/// The way to `Bluejay.HeartRateReading`.
public typealias _BluejayHeartRateReading = HeartRateReading

/// The way to `Bluejay.LaunchOptions`.
public typealias _BluejayLaunchOptions = LaunchOptions

/// The way to `Bluejay.ListenAction`.
public typealias _BluejayListenAction = ListenAction

/// The way to `Bluejay.ListenRestoreAction`.
public typealias _BluejayListenRestoreAction = ListenRestoreAction

/// The way to `Bluejay.ListenRestorer`.
public typealias _BluejayListenRestorer = ListenRestorer

/// The way to `Bluejay.LogObserver`.
public typealias _BluejayLogObserver = LogObserver

/// The way to `Bluejay.MainLoop`.
public typealias _BluejayMainLoop = MainLoop

/// The way to `Bluejay.MultipleListenOption`.
public typealias _BluejayMultipleListenOption = MultipleListenOption

/// The way to `Bluejay.PeripheralCharacteristic`.
public typealias _BluejayPeripheralCharacteristic = PeripheralCharacteristic

/// The way to `Bluejay.PeripheralIdentifier`.
public typealias _BluejayPeripheralIdentifier = PeripheralIdentifier

/// The way to `Bluejay.PeripheralService`.
public typealias _BluejayPeripheralService = PeripheralService

/// The way to `Bluejay.Receivable`.
public typealias _BluejayReceivable = Receivable

/// The way to `Bluejay.ReconnectOptions`.
public typealias _BluejayReconnectOptions = ReconnectOptions

/// The way to `Bluejay.RestoreIdentifier`.
public typealias _BluejayRestoreIdentifier = RestoreIdentifier

/// The way to `Bluejay.RSSIObserver`.
public typealias _BluejayRSSIObserver = RSSIObserver

/// The way to `Bluejay.ScanAction`.
public typealias _BluejayScanAction = ScanAction

/// The way to `Bluejay.ScanDiscovery`.
public typealias _BluejayScanDiscovery = ScanDiscovery

/// The way to `Bluejay.ServiceIdentifier`.
public typealias _BluejayServiceIdentifier = ServiceIdentifier

/// The way to `Bluejay.ServiceObserver`.
public typealias _BluejayServiceObserver = ServiceObserver

/// The way to `Bluejay.StartMode`.
public typealias _BluejayStartMode = StartMode

/// The way to `Bluejay.StartOptions`.
public typealias _BluejayStartOptions = StartOptions

/// The way to `Bluejay.SynchronizedPeripheral`.
public typealias _BluejaySynchronizedPeripheral = SynchronizedPeripheral

/// The way to `Bluejay.Timeout`.
public typealias _BluejayTimeout = Timeout

/// The way to `Bluejay.WarningOptions`.
public typealias _BluejayWarningOptions = WarningOptions

/// The way to `Bluejay.WriteResult`.
public typealias _BluejayWriteResult = WriteResult

/// The way to `Bluejay.WriteType`.
public typealias _BluejayWriteType = WriteType

/// The way to `Bluejay.ReadResult`.
public typealias _BluejayReadResult<R> = ReadResult<R>

/// The way to `Bluejay.RunResult`.
public typealias _BluejayRunResult<R> = RunResult<R>
