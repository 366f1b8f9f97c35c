// swift-tools-version: 6.2

import PackageDescription

/// The settings of every Swift target.
///
/// `.ci/run` turns warnings into errors: here, a later compiler would break the packages of users.
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

// Products depend on none of these, or with a trait only: SwiftPM does not fetch them for packages that depend on
// this one. Tests/Programs/NewcomerPrograms/fetched counts.
let arguments: Target.Dependency = .product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let crypto: Target.Dependency = .product(
    name: "Crypto",
    package: "swift-crypto",
    condition: .when(traits: ["Encryption"])
)

/// The client of BlueZ and the layers below it.
let engine: [Target.Dependency] = ["BluejayBlueZ", "BluejayCore", "BluejayDBus", "BluejayGLib"]

/// The dependencies of a system.
let system: [Target.Dependency] = engine + ["BluejayGATTServer", deque, ordered]

/// The settings of a user's program: only the language mode.
let plain: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// A demo with a command line.
let demo: [Target.Dependency] = ["BluejayCore", "BluejayCommandLine", arguments]

/// The dependencies of a program that repeats an operation on the simulated BlueZ and counts leaks.
let cycles: [Target.Dependency] = [
    "BluejayDBus", "BluejayGLib", "BluejaySimulator", "TestSupport", arguments,
]

/// The simulated BlueZ, and the scenarios on it.
let stage: [Target.Dependency] = ["BluejaySimulator", "Staging", "TestSupport"]
let plainStage: [Target.Dependency] = stage + ["BluejayCore", "BluejayGLib"]

/// The dependencies of a user's program.
let central: [Target.Dependency] = ["Bluejay", "BluejayAsync"]
let front: [Target.Dependency] = central + ["BluejayGATTServer"]

/// The dependencies of a program with the callbacks of all products.
let callbacks: [Target.Dependency] = front + ["BluejayL2CAP", "CallbackStage", "MeshPeer"]

/// The targets whose input the fuzzer makes.
let fuzzed: [Target.Dependency] =
    system + ["Bleu", "Bluejay", "BluejayCommandLine", "BluejayDeviceFile", "GameHost"]
    + ["BluejayPackets", "BluejaySimulator", "BluejayTool", "BluejayYAML", "PocketMesh"]

/// A folder with the targets of one layer.
struct Layer {
    let path: String

    /// A target in C that links a library of the system.
    func shim(_ name: String, linking library: String) -> Target {
        let linking = [LinkerSetting.linkedLibrary(library)]
        return .target(name: name, path: "\(path)/\(name)", linkerSettings: linking)
    }

    func library(
        _ name: String,
        in folder: String? = nil,
        _ dependencies: [Target.Dependency] = [],
        settings: [SwiftSetting] = settings
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: "\(path)/\(folder ?? name)",
            swiftSettings: settings
        )
    }

    func program(
        _ name: String,
        in folder: String? = nil,
        _ dependencies: [Target.Dependency],
        exclude: [String] = [],
        settings: [SwiftSetting] = settings
    ) -> Target {
        .executableTarget(
            name: name,
            dependencies: dependencies,
            path: "\(path)/\(folder ?? name)",
            exclude: exclude,
            swiftSettings: settings
        )
    }

    func tests(
        _ name: String,
        _ dependencies: [Target.Dependency],
        exclude: [String] = [],
        settings: [SwiftSetting] = settings,
        plugins: [Target.PluginUsage] = []
    ) -> Target {
        .testTarget(
            name: name,
            dependencies: dependencies + ["TestTraits"],
            path: "\(path)/\(name)",
            exclude: exclude,
            swiftSettings: settings,
            plugins: plugins
        )
    }
}

let ports = Layer(path: "Sources/Ports")
let blueZ = Layer(path: "Sources/Engine")
let products = Layer(path: "Sources/Library")
let systems = Layer(path: "Sources/Systems")
let testing = Layer(path: "Sources/Testing")
let tool = Layer(path: "Sources/Tool")
let demos = Layer(path: "Demos")
let units = Layer(path: "Tests/Units")
let scenarios = Layer(path: "Tests/Scenarios")
let programs = Layer(path: "Tests/Programs")
let support = Layer(path: "Tests/Support")

/// The main loop, the bus, zlib, the standard streams, libedit and ncurses: the only layer with unsafe code.
let portTargets: [Target] = [
    // The two system libraries carry flags only, under names that no other package has. Their
    // headers are in no module: two modules that each include glib.h clash in debug builds.
    .systemLibrary(
        name: "CBluejayDBus",
        path: "Sources/Ports/CBluejayDBus",
        pkgConfig: "dbus-1",
        providers: [.apt(["libdbus-1-dev"])]
    ),
    .systemLibrary(
        name: "CBluejayGLib",
        path: "Sources/Ports/CBluejayGLib",
        pkgConfig: "glib-2.0",
        providers: [.apt(["libglib2.0-dev"])]
    ),
    // Nothing in a manifest says that a package is for Linux: a header of this target does, so that
    // a package that depends on it for Linux only (`.when(platforms: [.linux])`) resolves everywhere.
    .target(
        name: "CBluejay",
        dependencies: ["CBluejayDBus", "CBluejayGLib"],
        path: "Sources/Ports/CBluejay"
    ),
    .target(name: "CBluejayMethods", path: "Sources/Ports/CBluejayMethods"),
    // Only the targets that depend on it link zlib.
    ports.shim("CBluejayZlib", linking: "z"),
    ports.library("BluejayCompression", ["CBluejayZlib"]),
    ports.library("BluejayGLib", ["CBluejay", deque, heap]),
    ports.library("BluejayDBus", ["CBluejay", "BluejayGLib", deque]),
    ports.library("BluejayStreams"),
    ports.shim("CBluejayEdit", linking: "edit"),
    ports.library("BluejayLineEditing", ["CBluejayEdit"]),
    ports.shim("CBluejayCurses", linking: "ncursesw"),
    ports.library("BluejayCurses", ["CBluejayCurses"]),
]

/// BlueZ as its client, and the values that every layer shares.
let engineTargets: [Target] = [
    blueZ.library("BluejayCore"),
    blueZ.library("BluejayPackets", ["BluejayGLib", heap]),
    blueZ.library("BluejayBlueZ", ["BluejayCore", "BluejayDBus", "BluejayGLib", deque, logging]),
]

/// The products for one peripheral: central, server, channels.
let libraryTargets: [Target] = [
    products.library("Bluejay", engine + [deque, logging]),
    products.library("BluejayAsync", ["Bluejay"]),
    products.library("BluejayGATTServer", ["BluejayCore", "BluejayBlueZ", "BluejayGLib"]),
    products.library("BluejayL2CAP", ["BluejayCore", "BluejayBlueZ", "BluejayGLib", deque]),
]

/// The four other systems, each a product.
let systemTargets: [Target] = [
    // A radio over the Nordic UART service.
    systems.library("PocketMesh", engine + ["Bluejay", "BluejayAsync", deque]),
    // A game of one host and its players.
    systems.library("GameHost", system + ["BluejayPackets"]),
    // A mesh node: central and peripheral at once.
    systems.library("MeshPeer", system + ["BluejayL2CAP"]),
    // Distributed actors, and their encryption, the only target that depends on swift-crypto.
    systems.library("Bleu", system + ["BluejayCompression", "BluejayPackets", "CBluejayMethods"]),
    systems.library("BleuEncryption", ["Bleu", crypto]),
]

/// BlueZ without Bluetooth.
///
/// It shares the bus with the library and nothing else: a name that is
/// misspelt in one is correct in the other, and a test fails.
let testingTargets: [Target] = [
    testing.library(
        "BluejaySimulator",
        ["BluejayDBus", "BluejayDeviceFile", "BluejayGLib", ordered]
    ),
    testing.library("BluejayTesting", ["Bluejay", "BluejayGLib", "BluejaySimulator"]),
    testing.library("BluejayDeviceFile"),
    testing.library("BluejayYAML", ["BluejayDeviceFile", yams]),
    testing.program(
        "bluez-simulator",
        ["BluejaySimulator", "BluejayCore", "BluejayDBus", "BluejayDeviceFile"]
            + ["BluejayGLib", "BluejayStreams"]
    ),
]

/// The command `bluejay`, and the diagnosis of a machine.
let toolTargets: [Target] = [
    tool.library("BluejayDoctor", engine),
    tool.library("BluejayExplainer", engine + [logging]),
    // The options and the output that the tool and the demos share.
    tool.library("BluejayCommandLine", ["BluejayStreams", arguments]),
    tool.library(
        "BluejayTool",
        [
            "Bluejay", "BluejayAsync", "BluejayDeviceFile", "BluejayDoctor", "BluejayExplainer",
            "BluejayGATTServer", "BluejayGLib", "BluejayL2CAP", "BluejayCommandLine",
            "BluejayCurses", "BluejayLineEditing", "BluejayStreams", "BluejayYAML", arguments,
        ]
    ),
    // No product: SwiftPM builds it in a clone, and fetches nothing for it elsewhere.
    tool.program("bluejay", ["BluejayTool"]),
]

/// Everyday jobs, each a whole program; the tenth is the test in Demos/Recipes/UnitTest.
let recipeTargets: [Target] = [
    demos.program("recipe-battery", in: "Recipes/Battery", ["BluejayAsync"], settings: []),
    demos.program("recipe-heart-rate", in: "Recipes/HeartRate", ["BluejayAsync"], settings: []),
    demos.program("recipe-ask", in: "Recipes/Ask", ["BluejayAsync"], settings: []),
    demos.program("recipe-services", in: "Recipes/ServicesOfName", ["BluejayAsync"], settings: []),
    demos.program("recipe-for-ever", in: "Recipes/ForEver", ["BluejayAsync"], settings: []),
    demos.program("recipe-scan", in: "Recipes/Scan", ["BluejayAsync"], settings: []),
    demos.program("recipe-serve", in: "Recipes/Serve", ["BluejayGATTServer"], settings: []),
    demos.program("recipe-pair", in: "Recipes/Pair", ["BluejayAsync"], settings: []),
    demos.program("recipe-send-file", in: "Recipes/SendFile", ["BluejayL2CAP"], settings: []),
]

let demoTargets: [Target] = [
    // The programs on the first screen of the README, built as a user would.
    demos.program("first-scan", in: "FirstScan", ["BluejayAsync"], settings: []),
    demos.program("first-program", in: "FirstProgram", ["BluejayAsync"], settings: []),
    demos.program(
        "heart-sensor",
        in: "HeartSensor",
        ["Bluejay", "BluejayCommandLine", arguments],
        exclude: ["heart-sensor.service"]
    ),
    demos.program(
        "virtual-peripheral",
        in: "VirtualPeripheral",
        ["Bluejay", "BluejayGATTServer", "BluejayCommandLine", arguments]
    ),
    // A game for two to eight: its rules, its host, its players.
    demos.library("GameRules"),
    demos.program(
        "game-host",
        in: "GameHost",
        demo + ["GameHost", "GameRules"],
        exclude: ["game-host.service"]
    ),
    demos.program(
        "game-player",
        in: "GamePlayer",
        demo + ["Bluejay", "BluejayAsync", "GameHost", "GameRules"]
    ),
    // A radio of a mesh and the chat over it.
    demos.library("MeshSupport", ["PocketMesh", "BluejayCommandLine"]),
    demos.program(
        "mesh-radio",
        in: "MeshRadio",
        demo + ["Bluejay", "BluejayGATTServer", "MeshSupport", "PocketMesh"]
    ),
    demos.program(
        "mesh-chat",
        in: "MeshChat",
        demo + ["PocketMesh", "MeshSupport"],
        exclude: ["mesh-chat.service"]
    ),
    // A node of a mesh, which exchanges lines and files with the nodes in range.
    demos.program(
        "mesh-node",
        in: "MeshNode",
        demo + ["BluejayCompression", "BluejayL2CAP", "MeshPeer"],
        exclude: ["mesh-node.service"]
    ),
    // A thermometer as a distributed actor: the actor, its server, its reader.
    demos.library("ThermometerActor", ["Bleu"]),
    demos.program("thermometer", in: "Thermometer", demo + ["Bleu", "ThermometerActor"]),
    demos.program(
        "thermometer-reader",
        in: "ThermometerReader",
        demo + ["Bleu", "ThermometerActor"]
    ),
]

/// Tests of one module, without a simulated BlueZ around it.
let unitTests: [Target] = [
    units.tests("BluejayGLibTests", ["BluejayGLib", "TestSupport"]),
    units.tests("FuzzingTests", fuzzed + ["TestSupport"]),
    units.tests("BluejayDBusTests", ["BluejayDBus", "BluejayGLib", "TestSupport"]),
    units.tests("BluejayCoreTests", ["BluejayCore", "TestSupport"]),
    units.tests("BluejayPacketsTests", ["BluejayCompression", "BluejayPackets", "TestSupport"]),
    units.tests(
        "BluejayBlueZTests",
        engine + ["BluejaySimulator", "BluejayTesting", "TestSupport"]
    ),
    units.tests(
        "BluejayTests",
        ["Bluejay", "BluejayBlueZ", "BluejayCore", "BluejayDBus", "BluejayGLib", "TestSupport"]
    ),
    units.tests(
        "BluejaySimulatorTests",
        ["BluejaySimulator", "BluejayDBus", "BluejayGLib", "TestSupport", ordered]
    ),
    units.tests(
        "BusTraceTests",
        ["BusTrace", "BluejayDBus", "BluejayGLib", "BluejaySimulator", "TestSupport"]
    ),
]

/// Tests of whole products on the simulated BlueZ, most of them also on the real one.
let scenarioTests: [Target] = [
    scenarios.tests(
        "ScenarioTests",
        engine + [
            "Bluejay", "BluejaySimulator", "BusTrace", "Staging", "TestSupport", "ways-out",
            "recipe-heart-rate", "recipe-for-ever",
        ]
    ),
    scenarios.tests(
        "BluejayAsyncTests",
        [
            "Bleu", "BleuEncryption", "Bluejay", "BluejayAsync", "BluejayGATTServer", "BluejayGLib",
            "BluejayL2CAP", "BluejaySimulator", "BluejayTesting", "GameHost", "MeshPeer",
            "PocketMesh", "TestSupport", "async-program", "callback-isolation", "soak",
        ],
        exclude: ["WithoutAsyncWay.txt"],
        plugins: ["PageCode"]
    ),
    scenarios.tests(
        "BluejayGATTServerTests",
        engine + stage + front + ["BluejayTesting", "BluejayL2CAP", "central-cycles"]
    ),
    scenarios.tests(
        "BluejayL2CAPTests",
        plainStage + front + ["BluejayBlueZ", "BluejayL2CAP"],
        plugins: ["PageCode"]
    ),
    scenarios.tests(
        "BluejayTestingTests",
        plainStage + front + ["BluejayDBus", "BluejayL2CAP", "BluejayTesting"],
        plugins: ["PageCode"]
    ),
    scenarios.tests("BluejayDoctorTests", engine + stage + ["BluejayDoctor"]),
    scenarios.tests(
        "BluejayToolTests",
        plainStage + [
            "Bluejay", "BluejayDeviceFile", "BluejayExplainer", "BluejayTool",
            "BluejayCommandLine", "BluejayCurses", "BluejayLineEditing", "BluejayYAML", "bluejay",
            "bluez-simulator", "bus-trace", "callback-isolation", "first-program", "first-scan",
            "heart-client", "heart-sensor", "random-schedules", "virtual-peripheral",
        ],
        exclude: ["Terminal/Screens"]
    ),
    scenarios.tests(
        "PocketMeshTests",
        plainStage + ["BluejayTesting", "PocketMesh", "radio-cycles", "radio-program", logging],
        plugins: ["PageCode"]
    ),
    scenarios.tests(
        "GameHostTests",
        plainStage + ["BluejayGATTServer", "GameHost", "game-on-main-loop"],
        plugins: ["PageCode"]
    ),
    scenarios.tests(
        "MeshPeerTests",
        plainStage + [
            "BluejayGATTServer", "BluejayL2CAP", "BluejayTesting", "MeshPeer", "mesh-cycles",
            "mesh-program",
        ],
        plugins: ["PageCode"]
    ),
    scenarios.tests(
        "BleuTests",
        plainStage + front + [
            "Bleu", "BleuEncryption", "BluejayCompression", "BluejayPackets", "BluejayTesting",
            "BusTrace", "bleu-cycles",
        ],
        plugins: ["PageCode"]
    ),
    scenarios.tests(
        "LoggingTests",
        engine + stage + front + ["BluejayL2CAP", "async-program", logging]
    ),
    scenarios.tests("ScheduleTests", ["TestSupport", "product-schedules", "random-schedules"]),
    scenarios.tests(
        "DemoTests",
        [
            "BluejayCommandLine", "BluejayCore", "BluejayGLib", "BluejaySimulator", "GameRules",
            "MeshPeer", "MeshSupport", "PocketMesh", "TestSupport", "bluez-simulator",
            "first-program", "first-scan", "game-host", "game-player", "heart-sensor", "mesh-chat",
            "mesh-node", "mesh-radio", "thermometer", "thermometer-reader", "virtual-peripheral",
        ] + recipeTargets.map { .byName(name: $0.name) }
    ),
    .testTarget(
        name: "RecipeTests",
        dependencies: ["BluejayAsync", "BluejayTesting"],
        path: "Demos/Recipes/UnitTest"
    ),
    // The code of the document of Bluejay for iOS, compiled and run.
    scenarios.tests(
        "DocumentationTests",
        ["Bluejay", "BluejayGLib", "BluejaySimulator", "TestSupport", "documentation-program"],
        exclude: ["Document/blocks.md"],
        settings: plain
    ),
]

/// The packages that `bluejay generate` writes, without their manifests; a test compares them with its output.
let generatedTargets: [Target] =
    ["HeartRateSensor", "ClimateStation2000", "Hostile"].flatMap {
        name -> [Target] in
        let folder = "Tests/Programs/GeneratedClients/\(name)"
        return [
            .target(
                name: name,
                dependencies: ["BluejayAsync"],
                path: "\(folder)/Sources/\(name)",
                swiftSettings: plain
            ),
            .testTarget(
                name: "\(name)Tests",
                dependencies: [.byName(name: name), "BluejayTesting"],
                path: "\(folder)/Tests/\(name)Tests",
                swiftSettings: plain
            ),
        ]
    } + [
        programs.program(
            "heart-client",
            in: "GeneratedClients/Program",
            ["BluejayAsync", "HeartRateSensor"],
            settings: plain
        )
    ]

/// Programs that tests run, including those that count leaks.
let testPrograms: [Target] = [
    programs.program(
        "acceptance-peripheral",
        in: "AcceptancePeripheral",
        ["Bluejay", "BluejayDBus", "BluejayGATTServer", arguments]
    ),
    programs.program("async-program", in: "AsyncProgram", central, settings: plain),
    programs.program("ways-out", in: "WaysOut", ["BluejayAsync"], settings: plain),
    programs.program("bleu-cycles", in: "BleuCycles", cycles + ["Bleu", "BluejayTesting"]),
    programs.program(
        "bus-trace",
        in: "BusTraceCommand",
        ["BusTrace", "BluejayCore", "BluejayDBus", "BluejayGLib", arguments]
    ),
    // One set of callbacks in three isolations: the three folders have the same sources, except for `Owner.swift`.
    programs.library("CallbackStage", in: "CallbackIsolation/Stage", engine + ["BluejaySimulator"]),
    programs.library(
        "MainActorCallbacks",
        in: "CallbackIsolation/MainActor",
        callbacks,
        settings: plain
    ),
    programs.library("ActorCallbacks", in: "CallbackIsolation/Actor", callbacks, settings: plain),
    programs.library("PlainCallbacks", in: "CallbackIsolation/Plain", callbacks, settings: plain),
    programs.program(
        "callback-isolation",
        in: "CallbackIsolation/Program",
        [
            "ActorCallbacks", "BluejayGLib", "CallbackStage", "MainActorCallbacks",
            "PlainCallbacks", arguments,
        ]
    ),
    programs.program("central-cycles", in: "CentralCycles", cycles + ["BluejayGATTServer"]),
    programs.program(
        "documentation-program",
        in: "DocumentationProgram",
        ["Bluejay"],
        settings: plain
    ),
    programs.program("game-on-main-loop", in: "GameOnMainLoop", ["GameHost"]),
    programs.program("mesh-cycles", in: "MeshCycles", cycles + ["BluejayTesting", "MeshPeer"]),
    programs.program("mesh-program", in: "MeshProgram", ["MeshPeer"]),
    programs.program(
        "product-schedules",
        in: "ProductSchedules",
        cycles + front + ["Bleu", "BluejayCore", "BluejayL2CAP", "BluejayTesting", "GameHost"]
            + ["MeshPeer", "PocketMesh"]
    ),
    programs.program("radio-cycles", in: "RadioCycles", cycles + ["BluejayCore", "PocketMesh"]),
    programs.program("radio-program", in: "RadioProgram", ["PocketMesh"]),
    programs.program("random-schedules", in: "RandomSchedules", cycles + ["Bluejay"]),
    programs.program("soak", in: "Soak", cycles + ["BluejayAsync", "BluejayTesting"]),
    // The rows of Tests/Benchmarks/count for the bus layer; its other rows are a package in that folder.
    Layer(path: "Tests/Benchmarks")
        .program("bench-client", in: "Client", ["BluejayDBus", "BluejayGLib"]),
]

/// Code shared by tests.
let testSupport: [Target] = [
    support.library("TestSupport", ["BluejayGLib"]),
    support.library("TestTraits"),
    // The simulated BlueZ, and the virtual machine of Tests/RealBlueZ.
    support.library(
        "Staging",
        engine + ["Bluejay", "BluejaySimulator", "BusTrace", "TestSupport"]
    ),
    // The messages between BlueZ and its clients, recorded and compared.
    support.library("BusTrace", ["BluejayDBus", "BluejayGLib"]),
    // Blocks of the pages, compiled with the tests.
    .plugin(
        name: "PageCode",
        capability: .buildTool(),
        path: "Tests/Support/PageCode",
        exclude: ["generate"]
    ),
]

let package = Package(
    name: "Bluejay",
    products: [
        "Bluejay", "BluejayAsync", "BluejayGATTServer", "BluejayL2CAP", "BluejaySimulator",
        "BluejayTesting", "Bleu", "BleuEncryption", "GameHost", "MeshPeer", "PocketMesh",
    ].map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "bluez-simulator", targets: ["bluez-simulator"])
    ],
    // At most one of the two is on: SwiftPM 6.3 passes several traits to the compiler in a random order, and
    // rebuilds everything if the order changes.
    traits: [
        .default(enabledTraits: ["Encryption"]),
        // Without the trait, a program does not need the 50 MB of Foundation: Documentation/SmallBinaries.md.
        .trait(
            name: "Foundation",
            description: "The Foundation API of the iOS library: RSSIObserver, CustomNSError"
        ),
        .trait(name: "Encryption", description: "The trait Foundation, and BleuEncryption"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.11.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
    ],
    targets: portTargets + engineTargets + libraryTargets + systemTargets + testingTargets
        + toolTargets + demoTargets + recipeTargets + unitTests + scenarioTests + testPrograms
        + generatedTargets + testSupport
)

// The fuzzer has the sources of the tests that replay its corpora, and its function `main` from libFuzzer.
if Context.environment["BLUEJAY_TESTS"] == "fuzzer" {
    package.targets += [units.program("fuzzer", in: "FuzzingTests", fuzzed, exclude: ["Replay"])]
}

// `BLUEJAY_TESTS=BluejayTests swift test` builds only these test targets and their dependencies.
if let names = Context.environment["BLUEJAY_TESTS"] {
    var needed = Set<String>()
    var found = names.split(separator: ",").map(String.init)
    var packages = Set<String>()
    while let name = found.popLast() {
        guard needed.insert(name).inserted else { continue }
        for dependency in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): found.append(name)
            case .productItem(_, let package?, _, _): packages.insert(package)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
    // Only for a folder that never had the other packages: SwiftPM removes their sources, and a later build of
    // everything would compile them again.
    if Context.environment["BLUEJAY_FETCHES_NEEDED"] != nil {
        package.dependencies.removeAll { dependency in
            guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
            return !packages.contains { location.hasSuffix("/\($0)") }
        }
    }
}
