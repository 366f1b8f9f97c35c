// swift-tools-version: 6.2
import PackageDescription

// The manifest fragments of the pages.
let package = Package(
    name: "others",
    dependencies: [
        .package(path: "../bluejay", traits: [])
    ],
    targets: [
        .target(name: "Door"),
        .executableTarget(
            name: "others",
            dependencies: [
                .product(name: "BluejayL2CAP", package: "bluejay"),
                .product(name: "GameHost", package: "bluejay"),
                .product(name: "PocketMesh", package: "bluejay"),
            ]
        ),
    ]
)
package.targets.append(
    .testTarget(
        name: "DoorTests",
        dependencies: ["Door", .product(name: "BluejayTesting", package: "bluejay")]
    )
)
