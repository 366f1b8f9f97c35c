// The types that the calls of MeshPeer take and return.
@_exported public import struct BluejayBlueZ.BluetoothHost
@_exported public import struct BluejayCore.BluejayError
@_exported public import enum BluejayCore.BluetoothState
@_exported public import struct BluejayCore.BluetoothUUID
@_exported public import enum BluejayCore.DisconnectReason
@_exported public import struct BluejayCore.PeripheralIdentifier
@_exported public import class BluejayGLib.MainLoop
@_exported public import enum BluejayGLib.SystemdService
@_exported public import class BluejayL2CAP.L2CAPChannel
