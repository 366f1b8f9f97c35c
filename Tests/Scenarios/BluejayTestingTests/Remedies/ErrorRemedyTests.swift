import Bluejay
import BluejayTesting
import Testing

@Suite("The promises of error texts", .timeLimit(.minutes(15)))
struct ErrorRemedyTests {
    @Test(
        "The call succeeds after the caller has done what the error says",
        arguments: ListedError.allCases
    )
    func remedy(of error: ListedError) async throws {
        for rehearsal in error.rehearsals {
            let made = try #require(try await rehearsal.play(), "the call succeeded")
            #expect(ListedError(made.kind) == error, "\(made)")
            if let advice = rehearsal.advice {
                #expect(made.description.contains(advice), "\(made)")
            } else {
                #expect(!made.description.contains("; "), "\(made)")
            }
        }
    }
}
