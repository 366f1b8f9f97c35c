import Testing

@testable import BluejayTool
