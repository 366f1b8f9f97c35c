import Testing

@testable import BluejayDoctor
