import ActorCallbacks
import BluejayGLib
import CallbackStage
import MainActorCallbacks
import PlainCallbacks

/// Plays the steps of an owner in its isolation.
protocol Player: Swift.Sendable {
    init(_ stage: Stage) async
    func play(_ step: Step) async
    func totals() async -> [String: Int]
    /// The completions that a step still waits for.
    func missing() async -> [String: Int]
}

struct MainActorPlayer: Player {
    private let owner: MainActorCallbacks.Owner

    init(_ stage: Stage) async {
        owner = await MainActorCallbacks.Owner(stage)
    }

    func play(_ step: Step) async {
        await withCheckedContinuation { continuation in
            Task { @MainActor in owner.play(step) { continuation.resume() } }
        }
    }

    func totals() async -> [String: Int] { await owner.totals }
    func missing() async -> [String: Int] { await owner.missing }
}

struct ActorPlayer: Player {
    private let owner: ActorCallbacks.Owner

    init(_ stage: Stage) async {
        owner = ActorCallbacks.Owner(stage)
    }

    func play(_ step: Step) async {
        await withCheckedContinuation { continuation in
            Task { await owner.play(step) { continuation.resume() } }
        }
    }

    func totals() async -> [String: Int] { await owner.totals }
    func missing() async -> [String: Int] { await owner.missing }
}

// The owner is used on the loop only: the invariant behind `@unchecked`.
final class PlainPlayer: Player, @unchecked Swift.Sendable {
    private let loop: MainLoop
    private var owner: PlainCallbacks.Owner?

    init(_ stage: Stage) async {
        loop = stage.loop
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                owner = PlainCallbacks.Owner(stage)
                continuation.resume()
            }
        }
    }

    func play(_ step: Step) async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in owner?.play(step) { continuation.resume() } }
        }
    }

    func totals() async -> [String: Int] { await onLoop(\.totals) }
    func missing() async -> [String: Int] { await onLoop(\.missing) }

    private func onLoop(
        _ property: any KeyPath<PlainCallbacks.Owner, [String: Int]> & Swift.Sendable
    ) async -> [String: Int] {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                continuation.resume(returning: owner?[keyPath: property] ?? [:])
            }
        }
    }
}
