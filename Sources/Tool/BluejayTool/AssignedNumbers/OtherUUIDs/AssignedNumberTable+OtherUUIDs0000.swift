// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The UUIDs of 16 bits that are no services or attributes of GATT, from 0001 to FCFF.
    static let otherUUIDs0000 = """
        0001 SDP
        0002 UDP
        0003 RFCOMM
        0004 TCP
        0005 TCS-BIN
        0006 TCS-AT
        0007 ATT
        0008 OBEX
        0009 IP
        000A FTP
        000C HTTP
        000E WSP
        000F BNEP
        0010 UPNP
        0011 HID Protocol
        0012 HardcopyControlChannel
        0014 HardcopyDataChannel
        0016 HardcopyNotificationChannel
        0017 AVCTP
        0019 AVDTP
        001B CMTP
        001E MCAP Control Channel
        001F MCAP Data Channel
        0100 L2CAP
        1000 ServiceDiscoveryServerServiceClassID
        1001 BrowseGroupDescriptorServiceClassID
        1002 PublicBrowseRoot
        1101 SerialPort
        1102 LANAccessUsingPPP
        1103 Dial-Up Networking
        1104 IrMCSync
        1105 OBEXObjectPush
        1106 OBEX File Transfer
        1107 IrMCSyncCommand
        1108 Headset
        1109 CordlessTelephony
        110A Audio Source
        110B Audio Sink
        110C A/V Remote Control Target
        110D Advanced Audio Distribution
        110E A/V Remote Control
        110F A/V Remote Control Controller
        1110 Intercom
        1111 Fax
        1112 Headset Audio Gateway
        1113 WAP
        1114 WAP_CLIENT
        1115 PANU
        1116 NAP
        1117 GN
        1118 DirectPrinting
        1119 ReferencePrinting
        111A Imaging
        111B Imaging Responder
        111C Imaging Automatic Archive
        111D Imaging Referenced Objects
        111E Hands-Free
        111F AG Hands-Free
        1120 DirectPrintingReferencedObjectsService
        1121 ReflectedUI
        1122 BasicPrinting
        1123 PrintingStatus
        1124 HID
        1125 HardcopyCableReplacement
        1126 HCR_Print
        1127 HCR_Scan
        1128 Common_ISDN_Access
        112D SIM Access
        112E Phonebook Access Client
        112F Phonebook Access Server
        1130 Phonebook Access Profile
        1131 Headset - HS
        1132 Message Access Server
        1133 Message Notification Server
        1134 Message Access Profile
        1135 GNSS
        1136 GNSS_Server
        1137 3D Display
        1138 3D Glasses
        1139 3D Synch Profile
        113A Multi Profile Specification
        113B MPS
        113C CTN Access Service
        113D CTN Notification Service
        113E Calendar Tasks and Notes Profile
        1200 PnPInformation
        1201 Generic Networking
        1202 GenericFileTransfer
        1203 Generic Audio
        1204 GenericTelephony
        1205 UPNP_Service
        1206 UPNP_IP_Service
        1300 ESDP_UPNP_IP_PAN
        1301 ESDP_UPNP_IP_LAP
        1302 ESDP_UPNP_L2CAP
        1303 Video Source
        1304 Video Sink
        1305 Video Distribution
        1400 HDP
        1401 HDP Source
        1402 HDP Sink
        1600 Ambient Light Sensor NLC Profile 1.0
        1601 Basic Lightness Controller NLC Profile 1.0
        1602 Basic Scene Selector NLC Profile 1.0
        1603 Dimming Control NLC Profile 1.0
        1604 Energy Monitor NLC Profile 1.0
        1605 Occupancy Sensor NLC Profile 1.0
        1606 HVAC Integration NLC Profile 1.0
        2700 unitless
        2701 length (metre)
        2702 mass (kilogram)
        2703 time (second)
        2704 electric current (ampere)
        2705 thermodynamic temperature (kelvin)
        2706 amount of substance (mole)
        2707 luminous intensity (candela)
        2710 area (square metres)
        2711 volume (cubic metres)
        2712 velocity (metres per second)
        2713 acceleration (metres per second squared)
        2714 wavenumber (reciprocal metre)
        2715 density (kilogram per cubic metre)
        2716 surface density (kilogram per square metre)
        2717 specific volume (cubic metre per kilogram)
        2718 current density (ampere per square metre)
        2719 magnetic field strength (ampere per metre)
        271A amount concentration (mole per cubic metre)
        271B mass concentration (kilogram per cubic metre)
        271C luminance (candela per square metre)
        271D refractive index
        271E relative permeability
        2720 plane angle (radian)
        2721 solid angle (steradian)
        2722 frequency (hertz)
        2723 force (newton)
        2724 pressure (pascal)
        2725 energy (joule)
        2726 power (watt)
        2727 electric charge (coulomb)
        2728 electric potential difference (volt)
        2729 capacitance (farad)
        272A electric resistance (ohm)
        272B electric conductance (siemens)
        272C magnetic flux (weber)
        272D magnetic flux density (tesla)
        272E inductance (henry)
        272F Celsius temperature (degree Celsius)
        2730 luminous flux (lumen)
        2731 illuminance (lux)
        2732 activity referred to a radionuclide (becquerel)
        2733 absorbed dose (gray)
        2734 dose equivalent (sievert)
        2735 catalytic activity (katal)
        2740 dynamic viscosity (pascal second)
        2741 moment of force (newton metre)
        2742 surface tension (newton per metre)
        2743 angular velocity (radian per second)
        2744 angular acceleration (radian per second squared)
        2745 heat flux density (watt per square metre)
        2746 heat capacity (joule per kelvin)
        2747 specific heat capacity (joule per kilogram kelvin)
        2748 specific energy (joule per kilogram)
        2749 thermal conductivity (watt per metre kelvin)
        274A energy density (joule per cubic metre)
        274B electric field strength (volt per metre)
        274C electric charge density (coulomb per cubic metre)
        274D surface charge density (coulomb per square metre)
        274E electric flux density (coulomb per square metre)
        274F permittivity (farad per metre)
        2750 permeability (henry per metre)
        2751 molar energy (joule per mole)
        2752 molar entropy (joule per mole kelvin)
        2753 exposure (coulomb per kilogram)
        2754 absorbed dose rate (gray per second)
        2755 radiant intensity (watt per steradian)
        2756 radiance (watt per square metre steradian)
        2757 catalytic activity concentration (katal per cubic metre)
        2760 time (minute)
        2761 time (hour)
        2762 time (day)
        2763 plane angle (degree)
        2764 plane angle (minute)
        2765 plane angle (second)
        2766 area (hectare)
        2767 volume (litre)
        2768 mass (tonne)
        2780 pressure (bar)
        2781 pressure (millimetre of mercury)
        2782 length (ångström)
        2783 length (nautical mile)
        2784 area (barn)
        2785 velocity (knot)
        2786 logarithmic radio quantity (neper)
        2787 logarithmic radio quantity (bel)
        27A0 length (yard)
        27A1 length (parsec)
        27A2 length (inch)
        27A3 length (foot)
        27A4 length (mile)
        27A5 pressure (pound-force per square inch)
        27A6 velocity (kilometre per hour)
        27A7 velocity (mile per hour)
        27A8 angular velocity (revolution per minute)
        27A9 energy (gram calorie)
        27AA energy (kilogram calorie)
        27AB energy (kilowatt hour)
        27AC thermodynamic temperature (degree Fahrenheit)
        27AD percentage
        27AE per mille
        27AF period (beats per minute)
        27B0 electric charge (ampere hours)
        27B1 mass density (milligram per decilitre)
        27B2 mass density (millimole per litre)
        27B3 time (year)
        27B4 time (month)
        27B5 concentration (count per cubic metre)
        27B6 irradiance (watt per square metre)
        27B7 milliliter (per kilogram per minute)
        27B8 mass (pound)
        27B9 metabolic equivalent
        27BA step (per minute)
        27BC stroke (per minute)
        27BD pace (kilometre per minute)
        27BE luminous efficacy (lumen per watt)
        27BF luminous energy (lumen hour)
        27C0 luminous exposure (lux hour)
        27C1 mass flow (gram per second)
        27C2 volume flow (litre per second)
        27C3 sound pressure (decibel)
        27C4 parts per million
        27C5 parts per billion
        27C6 mass density rate ((milligram per decilitre) per minute)
        27C7 Electrical Apparent Energy (kilovolt ampere hour)
        27C8 Electrical Apparent Power (volt ampere)
        27C9 Gravity (gn)
        2ACA Unspecified
        2ACB Directory Listing
        2BA9 Media Player Icon
        2BAA Track Segment
        2BAB Track
        2BAC Group
        FC39 Harman International
        FC3A C.O.B.O. SpA
        FC3B BONX INC.
        FC3C Eforthink Technology Co., Ltd.
        FC3D Reelables, Inc.
        FC3E Google LLC
        FC3F Milwaukee Electric Tools
        FC41 Yoto Limited
        FC43 Atmosic Technologies, Inc.
        FC44 Block, Inc.
        FC45 Mitsubishi Electric Corporation
        FC46 Xiaomi
        FC47 Shanghai Ingeek Technology Co., Ltd.
        FC48 Michelin
        FC49 Golioth, Inc.
        FC4A Shenzhen Shokz Co.,Ltd.
        FC4B WinMagic Inc.
        FC4C HP Inc.
        FC4D Lodestar Technology Inc.
        FC4E Lodestar Technology Inc.
        FC4F WaveRF, Corp.
        FC50 Ant Group Co., Ltd.
        FC51 Ant Group Co., Ltd.
        FC52 LG Electronics Inc.
        FC53 LEGIC Identsystems AG
        FC54 Shenzhen Yinwang Intelligent Technologies Co., Ltd.
        FC55 BYD Company Limited
        FC56 Google LLC
        FC57 Ambient Life Inc.
        FC58 Shenzhen Minew Technologies Co., Ltd.
        FC59 Ant Group Co., Ltd.
        FC5A LAST LOCK INC.
        FC5B Time Location Systems AS
        FC5C PLASTIC RESEARCH AND DEVELOPMENT CORPORATION
        FC5D GP Acoustics International Limited
        FC5E KUBU SMART LIMITED
        FC5F PI-CRYSTAL INC.
        FC60 Ohme Operations UK Limited
        FC61 QIKCONNEX LLC
        FC62 SPRiNTUS GmbH
        FC63 Volvo Technology AB
        FC64 Volvo Technology AB
        FC65 Robor Electronics B.V.
        FC66 Xiaomi Inc.
        FC67 Guangdong Hengqin Xingtong Technology Co.,ltd.
        FC68 RIGH, INC.
        FC69 Harman International
        FC6A Sonos Inc
        FC6B Sonos Inc
        FC6C Powerstick.com
        FC6D MOTIVE TECHNOLOGIES, INC.
        FC6E stryker
        FC6F NextSense, Inc.
        FC70 MOTIVE TECHNOLOGIES, INC.
        FC71 Hive-Zox International SA
        FC72 iodyne, LLC
        FC73 Google LLC
        FC74 EMBEINT INC
        FC75 Xiaomi Inc.
        FC76 Weber-Stephen Products LLC
        FC77 SING SUN TECHNOLOGY (INTERNATIONAL) LIMITED
        FC78 DHL
        FC79 LG Electronics Inc.
        FC7A Outshiny India Private Limited
        FC7B Testo SE & Co. KGaA
        FC7C Motorola Mobility, LLC
        FC7D MML US, Inc
        FC7E Harman International
        FC7F Southco
        FC80 TELE System Communications Pte. Ltd.
        FC81 Axon Enterprise, Inc.
        FC82 Zwift, Inc.
        FC83 iHealth Labs, Inc.
        FC84 NINGBO FOTILE KITCHENWARE CO., LTD.
        FC85 Zhejiang Huanfu Technology Co., LTD
        FC86 Samsara Networks, Inc
        FC87 Samsara Networks, Inc
        FC88 CCC del Uruguay
        FC89 Intel Corporation
        FC8A Intel Corporation
        FC8B Kaspersky Lab Middle East FZ-LLC
        FC8C VusionGroup
        FC8D Caire Inc.
        FC8E Blue Iris Labs, Inc.
        FC8F Bose Corporation
        FC90 Wiliot LTD.
        FC91 Samsung Electronics Co., Ltd.
        FC92 Furuno Electric Co., Ltd.
        FC93 Komatsu Ltd.
        FC94 Apple Inc.
        FC95 Hippo Camp Software Ltd.
        FC96 LEGO System A/S
        FC97 Japan Display Inc.
        FC98 Ruuvi Innovations Ltd.
        FC99 Badger Meter
        FC9A Koppli AB
        FC9B Merry Electronics (S) Pte Ltd
        FC9D Lenovo (Singapore) Pte Ltd.
        FC9E Dell Computer Corporation
        FC9F Delta Development Team, Inc
        FCA0 Apple Inc.
        FCA1 PF SCHWEISSTECHNOLOGIE GMBH
        FCA2 Meizu Technology Co., Ltd.
        FCA3 Gunnebo Aktiebolag
        FCA4 HP Inc.
        FCA5 HAYWARD INDUSTRIES, INC.
        FCA6 Hubble Network Inc.
        FCA7 Hubble Network Inc.
        FCA8 Medtronic Inc.
        FCA9 Medtronic Inc.
        FCAA Spintly, Inc.
        FCAB IRISS INC.
        FCAC IRISS INC.
        FCAD Beijing 99help Safety Technology Co., Ltd
        FCAE Imagine Marketing Limited
        FCAF AltoBeam Inc.
        FCB0 Ford Motor Company
        FCB1 Google LLC
        FCB2 Apple Inc.
        FCB3 SWEEN
        FCB4 OMRON HEALTHCARE Co., Ltd.
        FCB5 OMRON HEALTHCARE Co., Ltd.
        FCB6 OMRON HEALTHCARE Co., Ltd.
        FCB7 T-Mobile USA
        FCB8 Ribbiot, INC.
        FCB9 Lumi United Technology Co., Ltd
        FCBA BlueID GmbH
        FCBB SharkNinja Operating LLC
        FCBC Drowsy Digital, Inc.
        FCBD Toshiba Corporation
        FCBE Musen Connect, Inc.
        FCBF ASSA ABLOY Opening Solutions Sweden AB
        FCC0 Xiaomi Inc.
        FCC1 TIMECODE SYSTEMS LIMITED
        FCC2 Qualcomm Technologies, Inc.
        FCC3 HP Inc.
        FCC4 OMRON(DALIAN) CO,.LTD.
        FCC5 OMRON(DALIAN) CO,.LTD.
        FCC6 Wiliot LTD.
        FCC7 PB INC.
        FCC8 Allthenticate, Inc.
        FCC9 SkyHawke Technologies
        FCCA Cosmed s.r.l.
        FCCB TOTO LTD.
        FCCC Wi-Fi Easy Connect Specification
        FCCD Marshall Group AB
        FCCE Luna Health, Inc.
        FCCF Google LLC
        FCD0 Laerdal Medical AS
        FCD1 Shenzhen Benwei Media Co.,Ltd.
        FCD2 Allterco Robotics ltd
        FCD3 Fisher & Paykel Healthcare
        FCD4 OMRON HEALTHCARE
        FCD5 Nortek Security & Control
        FCD6 SWISSINNO SOLUTIONS AG
        FCD7 PowerPal Pty Ltd
        FCD8 Appex Factory S.L.
        FCD9 Huso, INC
        FCDA Draeger
        FCDB aconno GmbH
        FCDC Amazon.com Services, LLC
        FCDD Mobilaris AB
        FCDE ARCTOP, INC.
        FCDF NIO USA, Inc.
        FCE0 Akciju sabiedriba "SAF TEHNIKA"
        FCE1 Sony Group Corporation
        FCE2 Baracoda Daily Healthtech
        FCE3 Smith & Nephew Medical Limited
        FCE4 Samsara Networks, Inc
        FCE5 Samsara Networks, Inc
        FCE6 Guard RFID Solutions Inc.
        FCE7 TKH Security B.V.
        FCE8 ITT Industries
        FCE9 MindRhythm, Inc.
        FCEA Chess Wise B.V.
        FCEB Avi-On
        FCEC Griffwerk GmbH
        FCED Workaround Gmbh
        FCEE Velentium, LLC
        FCEF Divesoft s.r.o.
        FCF0 Security Enhancement Systems, LLC
        FCF1 Google LLC
        FCF2 Bitwards Oy
        FCF3 Armatura LLC
        FCF4 Allegion
        FCF5 Trident Communication Technology, LLC
        FCF6 The Linux Foundation
        FCF7 Honor Device Co., Ltd.
        FCF8 Honor Device Co., Ltd.
        FCF9 Leupold & Stevens, Inc.
        FCFA Leupold & Stevens, Inc.
        FCFB Shenzhen Benwei Media Co., Ltd.
        FCFC Barrot Technology Co.,Ltd.
        FCFD Barrot Technology Co.,Ltd.
        FCFE Sonova Consumer Hearing GmbH
        FCFF 701x
        """
}
