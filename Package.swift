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
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")

/// BlueZ as a client meets it, with what it is made of.
let engine: [Target.Dependency] = ["BluejayBlueZ", "BluejayCore", "BluejayDBus", "BluejayGLib"]

/// What a system stands on.
let system: [Target.Dependency] = engine + ["BluejayGATTServer", deque, ordered]

/// A demo with a command line.
let demo: [Target.Dependency] = ["BluejayCore", "BluejayCommandLine", arguments]

/// A program that repeats something on the simulated BlueZ, and counts what is left.
let cycles: [Target.Dependency] = [
    "BluejayDBus", "BluejayGLib", "BluejaySimulator", "TestSupport", arguments,
]

/// The simulated BlueZ, and the scenarios on it.
let stage: [Target.Dependency] = ["BluejaySimulator", "Staging", "TestSupport"]
let plainStage: [Target.Dependency] = stage + ["BluejayCore", "BluejayGLib"]

/// What a user's program depends on.
let front: [Target.Dependency] = ["Bluejay", "BluejayAsync", "BluejayGATTServer"]

/// Tests of ours, with nothing beside their dependencies.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// A part of the library, or what programs and tests share, with our settings.
func library(_ name: String, in path: String? = nil, _ dependencies: [Target.Dependency]) -> Target
{
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// A program beside the library, with our settings.
func program(
    _ name: String,
    in path: String? = nil,
    _ dependencies: [Target.Dependency],
    exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: path,
        exclude: exclude,
        swiftSettings: settings
    )
}

let package = Package(
    name: "Bluejay",
    products: [
        "Bluejay", "BluejayAsync", "BluejayGATTServer", "BluejayL2CAP", "BluejaySimulator",
        "BluejayTesting", "Bleu", "BleuEncryption", "GameHost", "MeshPeer", "PocketMesh",
    ].map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "bluez-simulator", targets: ["bluez-simulator"]),
        .executable(name: "bluejay", targets: ["BluejayTool"]),
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
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
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
        // Names and bounds of messages in packets.
        library("BluejayPackets", ["BluejayGLib"]),
        // Deflate and CRC-32, by zlib. Only the targets that depend on it link zlib.
        .target(name: "CBluejayZlib", linkerSettings: [.linkedLibrary("z")]),
        library("BluejayCompression", ["CBluejayZlib"]),
        tests("BluejayPacketsTests", ["BluejayCompression", "BluejayPackets", "TestSupport"]),

        // The main loop and the bus: the only two targets with unsafe code.
        library("BluejayGLib", ["CBluejay", deque, heap]),
        library("BluejayDBus", ["CBluejay", "BluejayGLib", "BluejayTables", deque]),

        // BlueZ as a client meets it, then the library its users import.
        library(
            "BluejayBlueZ",
            ["BluejayCore", "BluejayDBus", "BluejayGLib", "BluejayTables", deque, logging]
        ),
        library("Bluejay", engine + ["BluejayTables", deque, logging]),
        library("BluejayGATTServer", ["BluejayCore", "BluejayBlueZ", "BluejayGLib"]),
        library("BluejayL2CAP", ["BluejayCore", "BluejayBlueZ", "BluejayGLib", deque]),

        // A game in the room: one host, its players, over the server.
        library("GameHost", system + ["BluejayPackets"]),
        // A host whose loop is the main thread's.
        program("game-on-main-loop", in: "Tests/GameOnMainLoop", ["GameHost"]),
        tests(
            "GameHostTests",
            plainStage + ["BluejayGATTServer", "GameHost", "game-on-main-loop"]
        ),

        // Distributed actors over Bluetooth, and their encryption, which alone depends on swift-crypto.
        .target(name: "CBluejayMethods"),
        library("Bleu", system + ["BluejayCompression", "BluejayPackets", "CBluejayMethods"]),
        library("BleuEncryption", ["Bleu", .product(name: "Crypto", package: "swift-crypto")]),
        // Links, calls and streams, and what is left of them in the process.
        program("bleu-cycles", in: "Tests/BleuCycles", cycles + ["Bleu", "BluejayTesting"]),
        tests(
            "BleuTests",
            plainStage + [
                "Bleu", "BleuEncryption", "BluejayCompression", "BluejayGATTServer",
                "BluejayPackets", "BluejayTesting", "BusTrace", "bleu-cycles",
            ]
        ),

        // A node of a mesh: central and peripheral at once.
        library("MeshPeer", system + ["BluejayL2CAP"]),
        // Peers that come and go, and what is left of them in the process.
        program("mesh-cycles", in: "Tests/MeshCycles", cycles + ["BluejayTesting", "MeshPeer"]),
        program("mesh-program", in: "Tests/MeshProgram", ["MeshPeer"]),
        tests(
            "MeshPeerTests",
            plainStage + [
                "BluejayGATTServer", "BluejayL2CAP", "BluejayTesting", "MeshPeer", "mesh-cycles",
                "mesh-program",
            ]
        ),

        // A radio over the Nordic UART service, with phases, and a way back when it is lost.
        library("PocketMesh", engine + ["Bluejay", "BluejayAsync", deque]),
        // What is killed and run again, with the loop of the main thread or one of its own.
        program("radio-program", in: "Tests/RadioProgram", ["PocketMesh"]),
        // A radio that is lost again and again, and what is left of it in the process.
        program("radio-cycles", in: "Tests/RadioCycles", cycles + ["BluejayCore", "PocketMesh"]),
        tests(
            "PocketMeshTests",
            plainStage + ["BluejayTesting", "PocketMesh", "radio-cycles", "radio-program", logging]
        ),

        // `org.bluez` as a program. It shares the bus with the library and nothing else, so that a
        // misspelt name cannot be misspelt on both sides.
        library("BluejaySimulator", ["BluejayDBus", "BluejayGLib", ordered]),

        // A simulated BlueZ for the tests of users: a trait of Swift Testing, a base class of XCTest.
        library("BluejayTesting", ["Bluejay", "BluejayGLib", "BluejaySimulator"]),
        tests("BluejayTestingTests", plainStage + front + ["BluejayDBus", "BluejayTesting"]),

        // A device in a file: recorded by the tool, played by the tool and by the simulator.
        library("BluejayDeviceFile", [yams]),
        program(
            "bluez-simulator",
            [
                "BluejaySimulator", "BluejayCore", "BluejayDBus", "BluejayDeviceFile",
                "BluejayGLib", arguments,
            ]
        ),

        // What is in the way of Bluetooth on a machine, and the tool for a terminal.
        library("BluejayDoctor", engine),
        tests("BluejayDoctorTests", engine + stage + ["BluejayDoctor"]),
        program(
            "BluejayTool",
            [
                "Bluejay", "BluejayAsync", "BluejayDeviceFile", "BluejayDoctor",
                "BluejayGATTServer", "BluejayGLib", "BluejayL2CAP", "BluejayCommandLine", arguments,
            ]
        ),
        tests(
            "BluejayToolTests",
            plainStage + [
                "Bluejay", "BluejayDeviceFile", "BluejayTool", "BluejayCommandLine",
                "bluez-simulator",
            ],
            exclude: ["Terminal/Screens"]
        ),

        library("TestSupport", in: "Tests/TestSupport", ["BluejayGLib"]),
        // Where scenarios play: the simulated BlueZ, and the machine of Tests/RealBlueZ.
        library(
            "Staging",
            in: "Tests/Staging",
            engine + ["Bluejay", "BluejaySimulator", "BusTrace", "TestSupport"]
        ),
        tests("BluejayBlueZTests", engine + ["BluejaySimulator", "BluejayTesting", "TestSupport"]),
        tests(
            "ScenarioTests",
            engine + ["Bluejay", "BluejaySimulator", "BusTrace", "Staging", "TestSupport"]
        ),
        tests("BluejayCoreTests", ["BluejayCore"]),
        tests(
            "BluejayTests",
            ["Bluejay", "BluejayBlueZ", "BluejayCore", "BluejayDBus", "TestSupport"]
        ),

        // The program on the first screen of the README, built as a user would.
        .executableTarget(
            name: "first-program",
            dependencies: ["Bluejay"],
            path: "Demos/FirstProgram"
        ),
        program(
            "heart-sensor",
            in: "Demos/HeartSensor",
            ["Bluejay", "BluejayCommandLine", arguments],
            exclude: ["heart-sensor.service"]
        ),
        // The tool, which is a product, has it as well: the name has to be one that no user chooses.
        library("BluejayCommandLine", in: "Demos/Support", [arguments]),
        tests(
            "DemoTests",
            [
                "BluejayCommandLine", "BluejayCore", "BluejayGLib", "GameRules", "MeshPeer",
                "MeshSupport", "PocketMesh", "TestSupport", "bluez-simulator", "first-program",
                "game-host", "game-player", "heart-sensor", "mesh-chat", "mesh-node", "mesh-radio",
                "thermometer", "thermometer-reader", "virtual-peripheral",
            ]
        ),
        program(
            "virtual-peripheral",
            in: "Demos/VirtualPeripheral",
            ["Bluejay", "BluejayGATTServer", "BluejayCommandLine", arguments]
        ),
        // A game for two to eight: its rules, its host, its players.
        .target(name: "GameRules", path: "Demos/GameRules", swiftSettings: settings),
        program(
            "game-host",
            in: "Demos/GameHost",
            demo + ["GameHost", "GameRules"],
            exclude: ["game-host.service"]
        ),
        program(
            "game-player",
            in: "Demos/GamePlayer",
            demo + ["Bluejay", "BluejayAsync", "GameHost", "GameRules"]
        ),
        // A radio of a mesh, and its other end: what they say, the radio, the chat.
        library("MeshSupport", in: "Demos/MeshSupport", ["PocketMesh", "BluejayCommandLine"]),
        program(
            "mesh-radio",
            in: "Demos/MeshRadio",
            demo + ["Bluejay", "BluejayGATTServer", "MeshSupport", "PocketMesh"]
        ),
        program(
            "mesh-chat",
            in: "Demos/MeshChat",
            demo + ["PocketMesh", "MeshSupport"],
            exclude: ["mesh-chat.service"]
        ),
        // A node of a mesh, which exchanges lines and files with the nodes in range.
        program(
            "mesh-node",
            in: "Demos/MeshNode",
            demo + ["BluejayCompression", "BluejayL2CAP", "MeshPeer"],
            exclude: ["mesh-node.service"]
        ),
        // A thermometer as a distributed actor: the actor, who serves it, who calls it.
        library("ThermometerActor", in: "Demos/ThermometerActor", ["Bleu"]),
        program("thermometer", in: "Demos/Thermometer", demo + ["Bleu", "ThermometerActor"]),
        program(
            "thermometer-reader",
            in: "Demos/ThermometerReader",
            demo + ["Bleu", "ThermometerActor"]
        ),
        tests(
            "BluejayGATTServerTests",
            engine + stage + front + ["BluejayTesting", "BluejayL2CAP", "central-cycles"]
        ),
        tests("BluejayL2CAPTests", plainStage + front + ["BluejayBlueZ", "BluejayL2CAP"]),
        tests(
            "BluejaySimulatorTests",
            ["BluejaySimulator", "BluejayDBus", "BluejayGLib", "TestSupport", ordered]
        ),
        tests("BluejayTablesTests", ["BluejayTables"]),
        tests("BluejayGLibTests", ["BluejayGLib", "TestSupport"]),
        tests("BluejayDBusTests", ["BluejayDBus", "BluejayGLib", "BluejayTables", "TestSupport"]),

        // Centrals that come and go, and what is left of it in the process.
        program("central-cycles", in: "Tests/CentralCycles", cycles + ["BluejayGATTServer"]),
        // What centrals of others are tried against.
        program(
            "acceptance-peripheral",
            in: "Tests/AcceptancePeripheral",
            ["Bluejay", "BluejayDBus", "BluejayGATTServer", arguments]
        ),

        // What Tests/Benchmarks/count counts of the bus layer alone; its other rows are a package there.
        program("bench-client", in: "Tests/Benchmarks/Client", ["BluejayDBus", "BluejayGLib"]),

        // What BlueZ and its clients say to each other, recorded and compared.
        library("BusTrace", in: "Tests/BusTrace", ["BluejayDBus", "BluejayGLib"]),
        program(
            "bus-trace",
            in: "Tests/BusTraceCommand",
            ["BusTrace", "BluejayCore", "BluejayDBus", "BluejayGLib", arguments]
        ),
        tests(
            "BusTraceTests",
            ["BusTrace", "BluejayDBus", "BluejayGLib", "BluejaySimulator", "TestSupport"]
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
        program("random-schedules", in: "Tests/RandomSchedules", cycles + ["Bluejay"]),
        tests("ScheduleTests", ["TestSupport", "BluejayGLib", "random-schedules"]),

        // What is written to the log, and what is not.
        tests("LoggingTests", engine + stage + front + ["async-program", logging]),

        // async/await over the same queue.
        .target(name: "BluejayAsync", dependencies: ["Bluejay"], swiftSettings: settings),
        .executableTarget(
            name: "async-program",
            dependencies: ["Bluejay", "BluejayAsync"],
            path: "Tests/AsyncProgram",
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        tests(
            "BluejayAsyncTests",
            [
                "Bluejay", "BluejayAsync", "BluejayGLib", "BluejaySimulator", "TestSupport",
                "async-program",
            ],
            exclude: ["WithoutAsyncWay.txt"]
        ),
    ]
)
