// swift-tools-version: 6.2

import PackageDescription

// The package of a newcomer. `Tests/Programs/NewcomerPrograms/run` sets the place of the library, and whether
// GTK and SwiftNIO are available.
let environment = Context.environment
let bluejay: Target.Dependency = .product(name: "Bluejay", package: "bluejay")
let testing: Target.Dependency = .product(name: "BluejayTesting", package: "bluejay")
let server: Target.Dependency = .product(name: "BluejayGATTServer", package: "bluejay")
let simulator: Target.Dependency = .product(name: "BluejaySimulator", package: "bluejay")
let async: Target.Dependency = .product(name: "BluejayAsync", package: "bluejay")

var dependencies: [Package.Dependency] = [
    .package(url: environment["BLUEJAY_URL"] ?? "file:///bluejay", branch: "main")
]
var targets: [Target] = [
    .executableTarget(name: "PlainMain", dependencies: [bluejay]),
    .executableTarget(name: "MainActorClass", dependencies: [bluejay, async]),
    .executableTarget(name: "TopLevelAwait", dependencies: [bluejay, async]),
    .executableTarget(name: "AsyncMainLoop", dependencies: [bluejay, async]),
    .executableTarget(name: "AsyncOwnLoop", dependencies: [bluejay, async]),
    .executableTarget(name: "DispatchMain", dependencies: [bluejay]),
    .executableTarget(name: "FormerNames", dependencies: [bluejay, server, testing, simulator]),
    .executableTarget(name: "HeartRateUnit", dependencies: [bluejay, async]),
    .executableTarget(name: "NobodyRuns", dependencies: [bluejay, async]),
    .executableTarget(name: "ManyThreads", dependencies: [bluejay, async]),
    .testTarget(name: "ExpectationTests", dependencies: [bluejay]),
    .target(name: "DemoSupport"),
    .target(name: "Door", dependencies: [bluejay, "DemoSupport"]),
    .testTarget(name: "DoorTests", dependencies: ["Door", async, testing]),
    .target(name: "Bell", dependencies: [server]),
    .testTarget(name: "BellTests", dependencies: ["Bell", server, testing]),
    .testTarget(name: "DoorXCTests", dependencies: ["Door", async, testing]),
]
if environment["NEWCOMER_GTK"] != nil {
    targets += [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .executableTarget(name: "GtkWindow", dependencies: ["CGtk", bluejay]),
    ]
}
if environment["NEWCOMER_NIO"] != nil {
    dependencies.append(.package(url: "https://github.com/apple/swift-nio", from: "2.65.0"))
    dependencies += [
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
    ]
    targets += [
        .executableTarget(
            name: "HeartRateServer",
            dependencies: [
                bluejay, async,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "HeartRateService",
            dependencies: [
                bluejay, async,
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
    ]
}

let package = Package(
    name: "newcomer",
    dependencies: dependencies,
    targets: targets
)
