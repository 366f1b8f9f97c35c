// Importing Bluejay also imports the types it shares with its sibling modules, and the main loop.
@_exported public import BluejayCore

@_exported public import struct BluejayBlueZ.BluetoothHost
@_exported public import class BluejayGLib.MainLoop
@_exported public import enum BluejayGLib.SystemdService
