// The types that the calls of Bleu take and return.
@_exported public import struct BluejayBlueZ.BluetoothHost
@_exported public import class BluejayGLib.MainLoop
@_exported public import enum BluejayGLib.SystemdService
