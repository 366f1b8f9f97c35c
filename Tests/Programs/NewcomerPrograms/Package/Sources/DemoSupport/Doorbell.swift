/// A declaration in a target that has the name of a former target of the library.
public let doorbell = "Bell"
