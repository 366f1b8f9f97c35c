// Who imports BluejayGATTServer has the values that it shares with the layers beside it, and the loop.
@_exported public import BluejayCore

@_exported public import struct BluejayBlueZ.BluetoothHost
@_exported public import class BluejayGLib.MainLoop
