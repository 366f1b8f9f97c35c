/// A word of a target that has the name of one of the library's own targets in former versions.
public let doorbell = "Bell"
