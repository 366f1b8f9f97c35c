// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target.
///
/// Warnings become errors on the command line of `.ci/run`, not
/// here: a later compiler must not break the people who depend on this package.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .swiftLanguageMode(.v6),
]

let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let ordered: Target.Dependency = .product(name: "OrderedCollections", package: "swift-collections")
let arguments: Target.Dependency = .product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)

/// Tests of ours, with nothing beside their dependencies.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "Bluejay",
    products: [
        .library(name: "Bluejay", targets: ["Bluejay"]),
        .library(name: "BluejayAsync", targets: ["BluejayAsync"]),
        .library(name: "BluejayGATTServer", targets: ["BluejayGATTServer"]),
        .library(name: "BluejayL2CAP", targets: ["BluejayL2CAP"]),
        .library(name: "GameHost", targets: ["GameHost"]),
        .library(name: "BluejaySimulator", targets: ["BluejaySimulator"]),
        .library(name: "BluejayTesting", targets: ["BluejayTesting"]),
        .executable(name: "bluez-simulator", targets: ["bluez-simulator"]),
    ],
    traits: [
        .default(enabledTraits: ["Foundation"]),
        // Who needs none of that leaves 50 MB of Foundation away: Documentation/SmallBinaries.md.
        .trait(
            name: "Foundation",
            description: "What the iOS library has of Foundation: RSSIObserver, CustomNSError"
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    ],
    targets: [
        // The two system libraries carry flags only, under names that no other package has. No header
        // of theirs is in a module: two modules that each include glib.h clash in debug builds.
        .systemLibrary(
            name: "CBluejayDBus",
            pkgConfig: "dbus-1",
            providers: [.apt(["libdbus-1-dev"])]
        ),
        .systemLibrary(
            name: "CBluejayGLib",
            pkgConfig: "glib-2.0",
            providers: [.apt(["libglib2.0-dev"])]
        ),
        // Nothing in a manifest says that a package is for Linux: a header of this target does, so that
        // one that has it for Linux only (`.when(platforms: [.linux])`) is resolved everywhere.
        .target(name: "CBluejay", dependencies: ["CBluejayDBus", "CBluejayGLib"]),

        // The values that everybody shares: identities, errors, limits, assigned numbers.
        .target(name: "BluejayCore", swiftSettings: settings),

        // Collections beside those of swift-collections, for whoever counts what it does.
        .target(name: "BluejayTables", dependencies: [deque], swiftSettings: settings),

        // What messages in packets need, by no layer more than by another: names, checks, bounds. zlib is
        // met through functions of ours, for those only who depend on it.
        .target(name: "CBluejayZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "BluejayPackets", dependencies: ["CBluejayZlib"], swiftSettings: settings),
        tests("BluejayPacketsTests", ["BluejayPackets", "TestSupport"]),

        // The main loop and the bus: the only two targets with unsafe code.
        .target(
            name: "BluejayGLib",
            dependencies: ["CBluejay", deque, heap],
            swiftSettings: settings
        ),
        .target(
            name: "BluejayDBus",
            dependencies: ["CBluejay", "BluejayGLib", "BluejayTables", deque],
            swiftSettings: settings
        ),

        // BlueZ as a client meets it, then the library its users import.
        .target(
            name: "BluejayBlueZ",
            dependencies: [
                "BluejayCore", "BluejayDBus", "BluejayGLib", "BluejayTables", deque, logging,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Bluejay",
            dependencies: [
                "BluejayCore", "BluejayBlueZ", "BluejayDBus", "BluejayGLib", "BluejayTables", deque,
                logging,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "BluejayGATTServer",
            dependencies: ["BluejayCore", "BluejayBlueZ", "BluejayGLib"],
            swiftSettings: settings
        ),

        .target(
            name: "BluejayL2CAP",
            dependencies: ["BluejayCore", "BluejayBlueZ", "BluejayGLib", deque],
            swiftSettings: settings
        ),

        // A game in the room: one host, its players, over the server.
        .target(
            name: "GameHost",
            dependencies: [
                "BluejayCore", "BluejayBlueZ", "BluejayGATTServer", "BluejayGLib", "BluejayPackets",
                deque,
            ],
            swiftSettings: settings
        ),
        // A host whose loop is the main thread's.
        .executableTarget(
            name: "game-on-main-loop",
            dependencies: ["GameHost"],
            path: "Tests/GameOnMainLoop",
            swiftSettings: settings
        ),
        tests(
            "GameHostTests",
            [
                "BluejayCore", "BluejayGATTServer", "BluejayGLib", "BluejaySimulator", "GameHost",
                "Staging", "TestSupport", "game-on-main-loop",
            ]
        ),

        // `org.bluez` as a program. It shares the bus with the library and nothing else, so that a
        // misspelt name cannot be misspelt on both sides.
        .target(
            name: "BluejaySimulator",
            dependencies: ["BluejayDBus", "BluejayGLib", ordered],
            swiftSettings: settings
        ),

        // A simulated BlueZ for the tests of users: a trait of Swift Testing, a base class of XCTest.
        .target(
            name: "BluejayTesting",
            dependencies: ["Bluejay", "BluejayGLib", "BluejaySimulator"],
            swiftSettings: settings
        ),
        tests(
            "BluejayTestingTests",
            [
                "Bluejay", "BluejayAsync", "BluejayDBus", "BluejayGATTServer", "BluejayGLib",
                "BluejaySimulator", "BluejayTesting",
            ]
        ),

        .executableTarget(
            name: "bluez-simulator",
            dependencies: [
                "BluejaySimulator", "BluejayCore", "BluejayDBus", "BluejayGLib", arguments,
            ],
            swiftSettings: settings
        ),

        .target(
            name: "TestSupport",
            dependencies: ["BluejayGLib"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),

        // Where scenarios play: the simulated BlueZ, and the machine of Tests/RealBlueZ.
        .target(
            name: "Staging",
            dependencies: [
                "Bluejay", "BluejayBlueZ", "BluejayCore", "BluejayDBus", "BluejayGLib",
                "BluejaySimulator", "BusTrace", "TestSupport",
            ],
            path: "Tests/Staging",
            swiftSettings: settings
        ),
        tests(
            "BluejayBlueZTests",
            [
                "BluejayBlueZ", "BluejayCore", "BluejayDBus", "BluejayGLib", "TestSupport",
            ]
        ),
        tests(
            "ScenarioTests",
            [
                "Bluejay", "BluejayBlueZ", "BluejayCore", "BluejayDBus", "BluejayGLib",
                "BluejaySimulator", "BusTrace", "Staging", "TestSupport",
            ]
        ),
        tests("BluejayCoreTests", ["BluejayCore"]),
        tests(
            "BluejayTests",
            [
                "Bluejay", "BluejayBlueZ", "BluejayCore", "BluejayDBus", "TestSupport",
            ]
        ),

        // The program on the first screen of the README, built as a user would.
        .executableTarget(
            name: "first-program",
            dependencies: ["Bluejay"],
            path: "Demos/FirstProgram"
        ),
        .executableTarget(
            name: "heart-sensor",
            dependencies: ["Bluejay", "DemoSupport", arguments],
            path: "Demos/HeartSensor",
            exclude: ["heart-sensor.service"],
            swiftSettings: settings
        ),
        .target(
            name: "DemoSupport",
            dependencies: [arguments],
            path: "Demos/Support",
            swiftSettings: settings
        ),
        tests(
            "DemoTests",
            [
                "DemoSupport", "BluejayCore", "BluejayGLib", "GameRules", "TestSupport",
                "bluez-simulator", "game-host", "game-player", "heart-sensor",
                "virtual-peripheral",
            ]
        ),
        .executableTarget(
            name: "virtual-peripheral",
            dependencies: ["Bluejay", "BluejayGATTServer", "DemoSupport", arguments],
            path: "Demos/VirtualPeripheral",
            swiftSettings: settings
        ),
        // A game for two to eight: its rules, its host, its players.
        .target(name: "GameRules", path: "Demos/GameRules", swiftSettings: settings),
        .executableTarget(
            name: "game-host",
            dependencies: ["GameHost", "GameRules", "DemoSupport", arguments],
            path: "Demos/GameHost",
            exclude: ["game-host.service"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "game-player",
            dependencies: [
                "Bluejay", "BluejayAsync", "GameHost", "GameRules", "DemoSupport", arguments,
            ],
            path: "Demos/GamePlayer",
            swiftSettings: settings
        ),
        tests(
            "BluejayGATTServerTests",
            [
                "Bluejay", "BluejayAsync", "BluejayBlueZ", "BluejayCore", "BluejayDBus",
                "BluejayGATTServer", "BluejayGLib", "BluejaySimulator", "BluejayTesting",
                "BluejayL2CAP", "Staging", "TestSupport", "central-cycles",
            ]
        ),
        tests(
            "BluejayL2CAPTests",
            [
                "Bluejay", "BluejayAsync", "BluejayBlueZ", "BluejayCore", "BluejayGATTServer",
                "BluejayGLib", "BluejayL2CAP", "BluejaySimulator", "Staging", "TestSupport",
            ]
        ),
        tests(
            "BluejaySimulatorTests",
            [
                "BluejaySimulator", "BluejayDBus", "BluejayGLib", "TestSupport", ordered,
            ]
        ),
        tests("BluejayTablesTests", ["BluejayTables"]),
        tests("BluejayGLibTests", ["BluejayGLib", "TestSupport"]),
        tests("BluejayDBusTests", ["BluejayDBus", "BluejayGLib", "BluejayTables", "TestSupport"]),

        // Centrals that come and go, and what is left of it in the process.
        .executableTarget(
            name: "central-cycles",
            dependencies: [
                "BluejayGATTServer", "BluejayDBus", "BluejayGLib", "BluejaySimulator", arguments,
            ],
            path: "Tests/CentralCycles",
            swiftSettings: settings
        ),

        // What centrals of others are tried against.
        .executableTarget(
            name: "acceptance-peripheral",
            dependencies: ["Bluejay", "BluejayDBus", "BluejayGATTServer", arguments],
            path: "Tests/AcceptancePeripheral",
            swiftSettings: settings
        ),

        // What Tests/Benchmarks/count counts of the bus layer alone; its other rows are a package there.
        .executableTarget(
            name: "bench-client",
            dependencies: ["BluejayDBus", "BluejayGLib"],
            path: "Tests/Benchmarks/Client",
            swiftSettings: settings
        ),

        // What BlueZ and its clients say to each other, recorded and compared.
        .target(
            name: "BusTrace",
            dependencies: ["BluejayDBus", "BluejayGLib"],
            path: "Tests/BusTrace",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "bus-trace",
            dependencies: [
                "BusTrace", "BluejayCore", "BluejayDBus", "BluejayGLib", arguments,
            ],
            path: "Tests/BusTraceCommand",
            swiftSettings: settings
        ),
        tests(
            "BusTraceTests",
            [
                "BusTrace", "BluejayDBus", "BluejayGLib", "BluejaySimulator", "TestSupport",
            ]
        ),

        // The code of the document of Bluejay for iOS, compiled and played as its users would.
        .executableTarget(
            name: "documentation-program",
            dependencies: ["Bluejay"],
            path: "Tests/DocumentationProgram",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Bluejay", "BluejayGLib", "BluejaySimulator", "TestSupport",
                "documentation-program",
            ],
            exclude: ["Document/blocks.md"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),

        // Random calls and faults on the simulated BlueZ, and the test that plays 2,000 of them.
        .executableTarget(
            name: "random-schedules",
            dependencies: [
                "Bluejay", "BluejayDBus", "BluejayGLib", "BluejaySimulator", "TestSupport",
                arguments,
            ],
            path: "Tests/RandomSchedules",
            swiftSettings: settings
        ),
        tests("ScheduleTests", ["TestSupport", "BluejayGLib", "random-schedules"]),

        // What is written to the log, and what is not.
        tests(
            "LoggingTests",
            [
                "Bluejay", "BluejayAsync", "BluejayBlueZ", "BluejayDBus", "BluejayGATTServer",
                "BluejayGLib", "BluejaySimulator", "TestSupport", "async-program", logging,
            ]
        ),

        // async/await over the same queue.
        .target(name: "BluejayAsync", dependencies: ["Bluejay"], swiftSettings: settings),
        .executableTarget(
            name: "async-program",
            dependencies: ["Bluejay", "BluejayAsync"],
            path: "Tests/AsyncProgram",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .testTarget(
            name: "BluejayAsyncTests",
            dependencies: [
                "Bluejay", "BluejayAsync", "BluejayGLib", "BluejaySimulator", "TestSupport",
                "async-program",
            ],
            exclude: ["WithoutAsyncWay.txt"],
            swiftSettings: settings
        ),
    ]
)
