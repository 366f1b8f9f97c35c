// A target of a user may be called like one of the demos of the library.
public let doorbell = "Bell"
