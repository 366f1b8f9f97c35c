// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The companies by their identifiers, from 0000 to 01FF.
    static let companies0000 = """
        0000 Ericsson AB
        0001 Nokia Mobile Phones
        0002 Intel Corp.
        0003 IBM Corp.
        0004 Toshiba Corp.
        0005 3Com
        0006 Microsoft
        0007 Lucent
        0008 Motorola
        0009 Infineon Technologies AG
        000A Qualcomm Technologies International, Ltd. (QTIL)
        000B Silicon Wave
        000C Digianswer A/S
        000D Texas Instruments Inc.
        000E Parthus Technologies Inc.
        000F Broadcom Corporation
        0010 Mitel Semiconductor
        0011 Widcomm, Inc.
        0012 Zeevo, Inc.
        0013 Atmel Corporation
        0014 Mitsubishi Electric Corporation
        0015 RTX A/S
        0016 KC Technology Inc.
        0017 Newlogic
        0018 Transilica, Inc.
        0019 Rohde & Schwarz GmbH & Co. KG
        001A TTPCom Limited
        001B Signia Technologies, Inc.
        001C Conexant Systems Inc.
        001D Qualcomm
        001E Inventel
        001F AVM Berlin
        0020 BandSpeed, Inc.
        0021 Mansella Ltd
        0022 NEC Corporation
        0023 WavePlus Technology Co., Ltd.
        0024 Alcatel
        0025 NXP B.V.
        0026 C Technologies
        0027 Open Interface
        0028 R F Micro Devices
        0029 Hitachi Ltd
        002A Symbol Technologies, Inc.
        002B Tenovis
        002C Macronix International Co. Ltd.
        002D GCT Semiconductor
        002E Norwood Systems
        002F MewTel Technology Inc.
        0030 ST Microelectronics
        0031 Synopsys, Inc.
        0032 Red-M (Communications) Ltd
        0033 Commil Ltd
        0034 Computer Access Technology Corporation (CATC)
        0035 Eclipse (HQ Espana) S.L.
        0036 Renesas Electronics Corporation
        0037 Mobilian Corporation
        0038 Syntronix Corporation
        0039 Integrated System Solution Corp.
        003A Panasonic Holdings Corporation
        003B Gennum Corporation
        003C BlackBerry Limited
        003D IPextreme, Inc.
        003E Systems and Chips, Inc
        003F Bluetooth SIG, Inc
        0040 Seiko Epson Corporation
        0041 Integrated Silicon Solution Taiwan, Inc.
        0042 CONWISE Technology Corporation Ltd
        0043 PARROT AUTOMOTIVE SAS
        0044 Socket Mobile
        0045 Atheros Communications, Inc.
        0046 MediaTek, Inc.
        0047 Bluegiga
        0048 Marvell Technology Group Ltd.
        0049 3DSP Corporation
        004A Accel Semiconductor Ltd.
        004B AUMOVIO Systems, Inc.
        004C Apple, Inc.
        004D Staccato Communications, Inc.
        004E Avago Technologies
        004F APT Ltd.
        0050 SiRF Technology, Inc.
        0051 Tzero Technologies, Inc.
        0052 J&M Corporation
        0053 Free2move AB
        0054 3DiJoy Corporation
        0055 Plantronics, Inc.
        0056 Sony Ericsson Mobile Communications
        0057 Harman International Industries, Inc.
        0058 Vizio, Inc.
        0059 Nordic Semiconductor ASA
        005A EM Microelectronic-Marin SA
        005B Ralink Technology Corporation
        005C Belkin International, Inc.
        005D Realtek Semiconductor Corporation
        005E Stonestreet One, LLC
        005F Wicentric, Inc.
        0060 RivieraWaves S.A.S
        0061 RDA Microelectronics
        0062 Gibson Guitars
        0063 MiCommand Inc.
        0064 Band XI International, LLC
        0065 HP, Inc.
        0067 GN Hearing
        0068 General Motors
        0069 A&D Engineering, Inc.
        006A LTIMINDTREE LIMITED
        006B Polar Electro OY
        006C Beautiful Enterprise Co., Ltd.
        006E Summit Data Communications, Inc.
        006F Sound ID
        0070 Monster, LLC
        0071 connectBlue AB
        0072 ShangHai Super Smart Electronics Co. Ltd.
        0073 Group Sense Ltd.
        0074 Zomm, LLC
        0075 Samsung Electronics Co. Ltd.
        0076 Creative Technology Ltd.
        0077 Laird Connectivity LLC
        0078 Nike, Inc.
        0079 lesswire AG
        007A MStar Semiconductor, Inc.
        007B Hanlynn Technologies
        007D Seers Technology Co., Ltd.
        007E Sports Tracking Technologies Ltd.
        007F Autonet Mobile
        0080 DeLorme Publishing Company, Inc.
        0081 WuXi Vimicro
        0082 DSEA A/S
        0083 TimeKeeping Systems, Inc.
        0084 Ludus Helsinki Ltd.
        0085 BlueRadios, Inc.
        0086 Equinux AG
        0087 Garmin International, Inc.
        0088 Ecotest
        0089 GN Hearing A/S
        008A Jawbone
        008B Topcon Positioning Systems, LLC
        008C Gimbal Inc.
        008D Zscan Software
        008E Quintic Corp
        008F Telit Wireless Solutions GmbH
        0090 Funai Electric Co., Ltd.
        0091 Advanced PANMOBIL systems GmbH & Co. KG
        0092 ThinkOptics, Inc.
        0093 Universal Electronics, Inc.
        0094 Airoha Technology Corp.
        0095 NEC Lighting, Ltd.
        0096 ODM Technology, Inc.
        0097 ConnecteDevice Ltd.
        0098 zero1.tv GmbH
        0099 i.Tech Dynamic Global Distribution Ltd.
        009A Alpwise
        009B Jiangsu Toppower Automotive Electronics Co., Ltd.
        009C Colorfy, Inc.
        009D Geoforce Inc.
        009E Bose Corporation
        009F Suunto Oy
        00A0 Kensington Computer Products Group
        00A1 SR-Medizinelektronik
        00A2 Vertu Corporation Limited
        00A3 Meta Watch Ltd.
        00A4 LINAK A/S
        00A5 OTL Dynamics LLC
        00A6 Panda Ocean Inc.
        00A7 Visteon Corporation
        00A8 ARP Devices Limited
        00A9 MARELLI EUROPE S.P.A.
        00AA CAEN RFID srl
        00AB Ingenieur-Systemgruppe Zahn GmbH
        00AC Green Throttle Games
        00AD Peter Systemtechnik GmbH
        00AE Omegawave Oy
        00AF Cinetix
        00B0 Passif Semiconductor Corp
        00B1 Saris Cycling Group, Inc
        00B2 Bekey A/S
        00B3 Clarinox Technologies Pty. Ltd.
        00B4 BDE Technology Co., Ltd.
        00B5 Swirl Networks
        00B6 Meso international
        00B7 TreLab Ltd
        00B8 Qualcomm Innovation Center, Inc. (QuIC)
        00B9 Johnson Controls, Inc.
        00BA Starkey Hearing Technologies
        00BB S-Power Electronics Limited
        00BC Ace Sensor Inc
        00BD Aplix Corporation
        00BE AAMP of America
        00BF Stalmart Technology Limited
        00C0 AMICCOM Electronics Corporation
        00C1 Shenzhen Excelsecu Data Technology Co.,Ltd
        00C2 Geneq Inc.
        00C3 adidas AG
        00C4 LG Electronics
        00C5 Onset Computer Corporation
        00C6 Selfly BV
        00C7 Quuppa Oy.
        00C8 GeLo Inc
        00C9 Evluma
        00CA MC10
        00CB Binauric SE
        00CC Beats Electronics
        00CD Microchip Technology Inc.
        00CE Eve Systems GmbH
        00CF ARCHOS SA
        00D0 Dexcom, Inc.
        00D1 Polar Electro Europe B.V.
        00D2 Renesas Design Netherlands B.V.
        00D3 Taixingbang Technology (HK) Co,. LTD.
        00D5 Austco Communication Systems
        00D6 Timex Group USA, Inc.
        00D7 Qualcomm Technologies, Inc.
        00D8 Qualcomm Connected Experiences, Inc.
        00D9 Voyetra Turtle Beach
        00DA txtr GmbH
        00DB Snuza (Pty) Ltd
        00DC Procter & Gamble
        00DD Hosiden Corporation
        00DE Muzik LLC
        00DF Misfit Wearables Corp
        00E0 Google
        00E1 Danlers Ltd
        00E2 Semilink Inc
        00E3 inMusic Brands, Inc
        00E4 L.S. Research, Inc.
        00E5 Eden Software Consultants Ltd.
        00E7 KS Technologies
        00E8 ACTS Technologies
        00E9 Vtrack Systems
        00EA Nielsen-Kellerman
        00EB Server Technology Inc.
        00EC BioResearch Associates
        00ED Jolly Logic, LLC
        00EE Above Average Outcomes, Inc.
        00EF Bitsplitters GmbH
        00F0 PayPal, Inc.
        00F1 Witron Technology Limited
        00F2 Morse Project Inc.
        00F3 Kent Displays Inc.
        00F4 Nautilus Inc.
        00F5 Smartifier Oy
        00F6 Elcometer Limited
        00F7 VSN Technologies, Inc.
        00F8 AceUni Corp., Ltd.
        00FA Crystal Alarm AB
        00FB KOUKAAM a.s.
        00FC Delphi Corporation
        00FD ValenceTech Limited
        00FE Stanley Black and Decker
        00FF Typo Products, LLC
        0100 TomTom International BV
        0101 Fugoo, Inc.
        0102 Keiser Corporation
        0103 Bang & Olufsen A/S
        0104 PLUS Location Systems Pty Ltd
        0105 Ubiquitous Computing Technology Corporation
        0106 Innovative Yachtter Solutions
        0107 Demant A/S
        0108 Chicony Electronics Co., Ltd.
        0109 Atus BV
        010A Codegate Ltd
        010B ERi, Inc
        010C Transducers Direct, LLC
        010D DENSO TEN Limited
        010E Audi AG
        010F HiSilicon Technologies CO., LIMITED
        0110 Nippon Seiki Co., Ltd.
        0111 Steelseries ApS
        0112 Visybl Inc.
        0113 Openbrain Technologies, Co., Ltd.
        0115 e.solutions
        0116 10AK Technologies
        0117 Wimoto Technologies Inc
        0118 Radius Networks, Inc.
        011A Qualcomm Labs, Inc.
        011B Hewlett Packard Enterprise
        011C Baidu
        011D Arendi AG
        011E Skoda Auto a.s.
        011F Volkswagen AG
        0120 Porsche AG
        0121 Sino Wealth Electronic Ltd.
        0122 AirTurn, Inc.
        0123 Kinsa, Inc
        0124 HID Global
        0125 SEAT es
        0126 Promethean Ltd.
        0127 Salutica Allied Solutions
        0128 GPSI Group Pty Ltd
        0129 Nimble Devices Oy
        012A Changzhou Yongse Infotech Co., Ltd.
        012B SportIQ
        012C TEMEC Instruments B.V.
        012D Sony Corporation
        012E ASSA ABLOY
        012F Clarion Co. Inc.
        0130 Warehouse Innovations
        0131 Cypress Semiconductor
        0132 MADS Inc
        0133 Blue Maestro Limited
        0134 Resolution Products, Ltd.
        0135 Aireware LLC
        0136 Silvair, Inc.
        0137 Prestigio Plaza Ltd.
        0138 NTEO Inc.
        0139 Focus Systems Corporation
        013A Tencent Holdings Ltd.
        013B Allegion
        013C Murata Manufacturing Co., Ltd.
        013D WirelessWERX
        013E Nod, Inc.
        0140 Alpine Electronics (China) Co., Ltd
        0141 FedEx Services
        0142 Grape Systems Inc.
        0143 Bkon Connect
        0144 Lintech GmbH
        0145 Novatel Wireless
        0146 Ciright
        0147 Mighty Cast, Inc.
        0148 Ambimat Electronics
        0149 Perytons Ltd.
        014A Tivoli Audio, LLC
        014B Master Lock
        014C Mesh-Net Ltd
        014D HUIZHOU DESAY SV AUTOMOTIVE CO., LTD.
        014E Tangerine, Inc.
        014F B&W Group Ltd.
        0150 Pioneer Corporation
        0151 OnBeep
        0152 Vernier Software & Technology
        0153 ROL Ergo
        0154 Pebble Technology
        0155 NETATMO
        0156 Accumulate AB
        0157 Anhui Huami Information Technology Co., Ltd.
        0158 Inmite s.r.o.
        0159 ChefSteps, Inc.
        015A micas AG
        015B Biomedical Research Ltd.
        015C Pitius Tec S.L.
        015D Estimote, Inc.
        015E Unikey Technologies, Inc.
        015F Timer Cap Co.
        0160 AwoX
        0161 yikes
        0162 MADSGlobalNZ Ltd.
        0163 PCH International
        0164 Qingdao Yeelink Information Technology Co., Ltd.
        0165 Milwaukee Electric Tools
        0166 MISHIK Pte Ltd
        0167 Ascensia Diabetes Care US Inc.
        0168 Spicebox LLC
        0169 emberlight
        016A Copeland Cold Chain LP
        016B Qblinks
        016C MYSPHERA
        016D LifeScan Inc
        016E Volantic AB
        016F Podo Labs, Inc
        0170 Roche Diabetes Care AG
        0171 Amazon.com Services LLC
        0172 Connovate Technology Private Limited
        0173 Kocomojo, LLC
        0174 Everykey Inc.
        0175 Dynamic Controls
        0176 SentriLock
        0177 I-SYST inc.
        0178 CASIO COMPUTER CO., LTD.
        0179 LAPIS Semiconductor Co.,Ltd
        017A Telemonitor, Inc.
        017B taskit GmbH
        017C Mercedes-Benz Group AG
        017D BatAndCat
        017E BluDotz Ltd
        017F XTel Wireless ApS
        0180 Gigaset Technologies GmbH
        0181 Gecko Health Innovations, Inc.
        0182 HOP Ubiquitous
        0183 Walt Disney
        0184 Nectar
        0186 CORE Lighting Ltd
        0187 Seraphim Sense Ltd
        0188 Unico RBC
        0189 Physical Enterprises Inc.
        018A Able Trend Technology Limited
        018B Konica Minolta, Inc.
        018C Wilo SE
        018D Extron Design Services
        018E Google LLC
        0190 Intelletto Technologies Inc.
        0191 FDK CORPORATION
        0192 Cloudleaf, Inc
        0193 Maveric Automation LLC
        0194 Acoustic Stream Corporation
        0195 Zuli
        0196 Paxton Access Ltd
        0197 WiSilica Inc.
        0198 VENGIT Korlatolt Felelossegu Tarsasag
        0199 SALTO SYSTEMS S.L.
        019A TRON Forum
        019B CUBETECH s.r.o.
        019C Cokiya Incorporated
        019D CVS Health
        019E Ceruus
        019F Strainstall Ltd
        01A0 Channel Enterprises (HK) Ltd.
        01A1 FIAMM
        01A2 GIGALANE.CO.,LTD
        01A3 EROAD
        01A4 MSA Innovation, LLC
        01A5 Icon Health and Fitness
        01A6 Wille Engineering
        01A7 ENERGOUS CORPORATION
        01A8 Taobao
        01A9 Canon Inc.
        01AA Geophysical Technology Inc.
        01AB Meta Platforms, Inc.
        01AC Trividia Health, Inc.
        01AD FlightSafety International
        01AF Sunrise Micro Devices, Inc.
        01B0 Star Micronics Co., Ltd.
        01B1 Netizens Sp. z o.o.
        01B2 Nymi Inc.
        01B3 Nytec, Inc.
        01B4 Trineo Sp. z o.o.
        01B5 Nest Labs Inc.
        01B6 LM Technologies Ltd
        01B7 General Electric Company
        01B8 i+D3 S.L.
        01B9 HANA Micron
        01BA Stages Cycling LLC
        01BB Cochlear Bone Anchored Solutions AB
        01BC SenionLab AB
        01BD Syszone Co., Ltd
        01BE Pulsate Mobile Ltd.
        01BF Hongkong OnMicro Electronics Limited
        01C1 BRADATECH Corp.
        01C2 Transenergooil AG
        01C4 DME Microelectronics
        01C5 Bitcraze AB
        01C6 HASWARE Inc.
        01C7 Abiogenix Inc.
        01C8 Poly-Control ApS
        01C9 Avi-on
        01CA Laerdal Medical AS
        01CB Fetch My Pet
        01CC Sam Labs Ltd.
        01CD Chengdu Synwing Technology Ltd
        01CE HOUWA SYSTEM DESIGN, k.k.
        01CF BSH
        01D0 Primus Inter Pares Ltd
        01D1 August Home, Inc
        01D2 Gill Electronics
        01D3 Sky Wave Design
        01D4 Newlab S.r.l.
        01D5 ELAD srl
        01D6 G-wearables inc.
        01D8 Code Corporation
        01D9 Savant Systems LLC
        01DA Logitech International SA
        01DB Innblue Consulting
        01DC iParking Ltd.
        01DD Koninklijke Philips N.V.
        01DE Minelab Electronics Pty Limited
        01DF Bison Group Ltd.
        01E0 Widex A/S
        01E1 Jolla Ltd
        01E3 Caterpillar Inc
        01E4 Freedom Innovations
        01E5 Dynamic Devices Ltd
        01E6 Technology Solutions (UK) Ltd
        01EA Advanced Application Design, Inc.
        01EC Spreadtrum Communications Shanghai Ltd
        01ED CuteCircuit LTD
        01EE Valeo Service
        01EF Fullpower Technologies, Inc.
        01F0 KloudNation
        01F1 Zebra Technologies Corporation
        01F2 Itron, Inc.
        01F3 The University of Tokyo
        01F4 UTC Fire and Security
        01F5 Cool Webthings Limited
        01F6 DJO Global
        01F7 Gelliner Limited
        01F8 Anyka (Guangzhou) Microelectronics Technology Co, LTD
        01F9 Medtronic Inc.
        01FA Gozio Inc.
        01FB Form Lifting, LLC
        01FC Wahoo Fitness, LLC
        01FD Kontakt Micro-Location Sp. z o.o.
        01FE Radio Systems Corporation
        01FF Freescale Semiconductor, Inc.
        """
}
