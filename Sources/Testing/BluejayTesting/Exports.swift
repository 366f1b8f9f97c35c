@_exported public import Bluejay
@_exported public import BluejaySimulator
