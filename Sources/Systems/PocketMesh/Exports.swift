// An import of PocketMesh includes the types of its API.
@_exported public import struct BluejayBlueZ.BluetoothHost
@_exported public import enum BluejayCore.BluetoothState
@_exported public import struct BluejayCore.BluetoothUUID
@_exported public import struct BluejayCore.PeripheralIdentifier
@_exported public import class BluejayGLib.MainLoop
@_exported public import enum BluejayGLib.SystemdService
