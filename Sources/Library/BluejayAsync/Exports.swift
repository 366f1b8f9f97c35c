// Importing BluejayAsync also imports Bluejay.
@_exported public import Bluejay
