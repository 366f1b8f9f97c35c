// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The companies by their identifiers, from 0E00 to 0FDC.
    static let companies0E00 = """
        0E00 SHENZHEN SOUNDSOUL INFORMATION TECHNOLOGY CO.,LTD
        0E01 Wuhu Mengbo Technology Co., Ltd.
        0E02 PROSYS DEV LIMITED
        0E03 Shenzhen eMeet technology Co.,Ltd
        0E04 Doro AB
        0E05 SUREPULSE MEDICAL LIMITED
        0E06 iodyne, LLC
        0E07 Pinpoint GmbH
        0E08 Heinrich Kopp GmbH
        0E09 Evolutive Systems SL
        0E0B Sounding Audio Industrial Ltd.
        0E0C Yuanfeng Technology Co., Ltd.
        0E0D FrontAct Co., Ltd.
        0E0F SenseWorks Tecnologia Ltda.
        0E10 Eko Health, Inc.
        0E11 Wanzl GmbH & Co. KGaA
        0E12 CLEVER LOGGER TECHNOLOGIES PTY LIMITED
        0E13 ASYSTOM
        0E14 Heilongjiang Tianyouwei Electronics Co.,Ltd.
        0E15 Eastern Partner Limited
        0E16 Xiamen RUI YI Da Electronic Technology Co.,Ltd
        0E17 Ad Hoc Electronics, llc.
        0E18 Hangzhou Microimage Software Co.,Ltd.
        0E19 Hive-Zox International SA
        0E1A Sensovo GmbH
        0E1B Time Location Systems AS
        0E1C SHENZHEN DIGITECH CO., LTD
        0E1D Capte B.V.
        0E1E 9512-5837 QUEBEC INC.
        0E1F Blecon Ltd
        0E20 CFLAB TEKNOLOJI TICARET LIMITED SIRKETI
        0E21 FOGO
        0E22 HITO INC
        0E23 MS kajak7 UG (limited liability)
        0E24 Avedis Zildjian Co.
        0E25 Hangzhou Hikvision Digital Technology Co., Ltd.
        0E26 LIHJOEN SPEED METER CO., LTD.
        0E27 NextSense, Inc.
        0E28 PatchRx, Inc.
        0E29 Flipper Devices Inc.
        0E2A Huizhou Foryou General Electronics Co., Ltd.
        0E2B JE electronic a/s
        0E2C 9313-7263 Quebec inc.
        0E2D ECARX (Hubei) Tech Co.,Ltd.
        0E2E NIHON KOHDEN CORPORATION
        0E2F ONWI
        0E30 Primax Electronics Ltd.
        0E31 AlphaTheta Corporation
        0E32 PACIFIC INDUSTRIAL CO., LTD.
        0E33 Crescent NV
        0E34 Vermis, software solutions llc
        0E35 SNAPPWISH LLC
        0E36 Cousins and Sears LLC
        0E37 CESYS Gesellschaft für angewandte Mikroelektronik mbH
        0E38 SLOC GmbH
        0E39 IRES Infrarot Energie Systeme GmbH
        0E3A OFIVE LIMITED
        0E3B Swift IOT Tech (Shenzhen) Co., LTD.
        0E3C Viselabs
        0E3D Walmart Inc.
        0E3E VANBOX
        0E3F Wiser Devices, LLC
        0E40 WKD Labs Ltd
        0E41 Asustek Computer Inc.
        0E42 Z-ONE Technology Co., Ltd.
        0E43 InnoVision Medical Technologies, LLC
        0E44 QUANTATEC
        0E45 Filo Srl
        0E46 SOUNDUCT
        0E47 Hosiden Besson Limited
        0E48 KARLUNA MUHENDISLIK SANAYI VE TICARET ANONIM SIRKETI
        0E49 Deone (Shanghai) Communication & Technology Co., Ltd
        0E4A Nitto Denko Corporation
        0E4B PUDSEY DIAMOND ENGINEERING LIMITED
        0E4C Luxshare Precision Industry Co., Ltd.
        0E4D Brooksee, Inc.
        0E4E QSC, LLC
        0E4F eBet Gaming Sytems Pty Limited
        0E50 Zhejiang Desman Intelligent Technology Co., Ltd.
        0E51 Dyaco International Inc.
        0E52 Aquana, LLC
        0E53 MINIRIG
        0E54 Relief Technologies AS
        0E55 New Cosmos Electric Co., Ltd.
        0E56 INEPRO Metering B.V.
        0E57 Altina Inc.
        0E58 Urban Armor Gear, LLC
        0E59 Loewe Technology GmbH
        0E5A OmniWave Microelectronics Shanghai Co., Ltd
        0E5B Wuhu Hongjing Electronic Co.,Ltd
        0E5C Rocoto Ltd
        0E5D L.T.H. Electronics Limited
        0E5E SHAPER TOOLS, INC.
        0E5F Ruptela
        0E60 Ant Group Co., Ltd.
        0E61 Queclink Wireless Solutions Co., Ltd.
        0E62 GOKI PTY LTD
        0E63 LAST LOCK INC.
        0E64 HuiTong intelligence Company Limited
        0E65 Daikin Industries, LTD
        0E66 Shenzhen Baseus Technology Co., Ltd.
        0E67 NEXT DEVICES LTDA
        0E68 EarTex Ltd
        0E69 Megatronix (Beijing) Technology Co., Ltd
        0E6A Hyena Inc.
        0E6B Shenzhen Goodocom Information Technology Co., Ltd.
        0E6C RIGH, INC.
        0E6D FEVOS LIMITED
        0E6F OpConnect, Inc.
        0E70 Powerstick.com
        0E71 ENABLEWEAR LLC
        0E72 TOR.AI LIMITED
        0E73 Adventures of the Persistently Impaired (and other tales) Limited
        0E74 Rocky Radios LLC
        0E75 Le Touch (Shenzhen) Electronics Co., Ltd.
        0E76 Guangdong Nanguang Photo&Video Systems Co., Ltd.
        0E77 MOBILE TECH, INC.
        0E78 HONG KONG COMMUNICATIONS COMPANY LIMITED
        0E79 Neptune First OU
        0E7A Vivago Oy
        0E7B Circular
        0E7C final Inc.
        0E7D Jiangsu XinTongda Electric Technology Co.,Ltd.
        0E7E Archon Controls LLC
        0E7F SZR-Dev UG
        0E80 IQNEXXT Solutions GmbH
        0E81 Guangdong Hengqin Xingtong Technology Co.,ltd.
        0E82 CHEVALIER TECH LIMITED
        0E83 SPRiNTUS GmbH
        0E84 Tymphany HK Ltd
        0E85 TigerLight, Inc.
        0E86 Mercury Marine, a division of Brunswick Corporation
        0E87 OpenTech Alliance, Inc.
        0E88 Skewered Fencing, LLC
        0E89 Brudden
        0E8A Tele-Radio i Lysekil AB
        0E8B Allgon AB
        0E8C Gopod Group Holding Limited
        0E8D Celebrities Management Private Limited
        0E8E Nobest Inc
        0E8F Avetos Design LLC
        0E90 RainMaker Solutions, Inc.
        0E91 Identita Inc.
        0E92 Glutz AG
        0E93 MIV ELECTRONICS, LTD
        0E94 Tactrix
        0E95 Viaanix, Inc.
        0E96 Skeed,co,Ltd.
        0E97 kokoromil Inc.
        0E98 Chromatic Inc.
        0E99 Medibound, Inc.
        0E9A Scanbro OU
        0E9B Panasonic Automotive Systems Co., Ltd.
        0E9C Andrews & Arnold Ltd
        0E9D Audinor ApS
        0E9E Travelxp India Private Limited
        0E9F Owlet Baby Care Inc.
        0EA0 ENLESS WIRELESS
        0EA1 Culligan International Company
        0EA2 QIKCONNEX LLC
        0EA3 OLIS ELECTRONICS, LLC
        0EA4 BiTECH Automotive (Wuhu) Co.,Ltd
        0EA5 EasyReach Solutions Private Limited
        0EA6 AMG Lab LLC
        0EA7 BrickXter GmbH
        0EA8 Dongguan Trangjan Industrial Co., Ltd
        0EA9 Makichie Co., Ltd.
        0EAA Hive Soundz inc.
        0EAB STEYR Sport GmbH
        0EAC Dynetrex Solutions Inc.
        0EAD OPTRON Co., Ltd.
        0EAE BHClears Microelectronics (Shanghai) Co., Ltd.
        0EAF Unfolded Circle ApS
        0EB0 FactorySense
        0EB1 WearNex Limited
        0EB2 PRADCO Outdoor Brands
        0EB3 Zucchetti Axess
        0EB4 BLUEFIN DATA, LLC
        0EB5 Preseed Japan Corporation
        0EB6 Server Products, Inc.
        0EB7 Embedded Solutions LLC
        0EB8 PARAGON ID
        0EB9 egojin co,.ltd
        0EBA THERMY LTD
        0EBB Asahi Denso Co.,Ltd.
        0EBC GP Acoustics International Limited
        0EBD Tongfang Health Technology (Beijing) Co., Ltd.
        0EBE Deity Acoustic Technology Co.
        0EBF Schulte-Schlagbaum AG
        0EC0 WEST inx Ltd.
        0EC1 Crossdoor
        0EC2 High Entropy, LLC
        0EC3 Herschel Infrared Ltd
        0EC4 PACIFIC MARINE BATTERIES PTY. LIMITED
        0EC5 Alibaba (China) Co., Ltd.
        0EC6 AuthGate B.V.
        0EC7 Canyon Bicycles GmbH
        0EC8 Codie LLC
        0EC9 NeuroPace Inc
        0ECA NexRev LLC
        0ECB Zhong Shan City Richsound Electronic Industrial Ltd.
        0ECC Shenzhen NEOECO Technology Co., Ltd.
        0ECD Nature Inc.
        0ECE Guangzhou Honor Microelectronic Co.,Ltd.
        0ECF GGEC America, Inc.
        0ED0 Gibson, Inc.
        0ED1 VINYL MATT MEDIA LIMITED
        0ED2 SHENZHEN BESTWAY ELECTRONICS CO.,LTD
        0ED3 Lichens Innovation inc.
        0ED4 Goerdyna Group Co., Ltd
        0ED5 Relish Technologies Limited
        0ED6 Quintessential Design, Inc.
        0ED7 CS INSTRUMENTS GmbH & Co.KG
        0ED8 DORAN MFG. LLC
        0ED9 Overhead Door Corporation
        0EDA Kodira GmbH
        0EDB ShenZhen BoYiChuangXin
        0EDC Shenzhen Zoqin Technology Co., Ltd.
        0EDD Ceridwen Limited
        0EDE Sony Honda Mobility Inc.
        0EDF Dynaudio A/S
        0EE0 MAERSK CONTAINER INDUSTRY A/S
        0EE1 MA MICRO LIMITED
        0EE2 shenzhen hongever technology Co,. Ltd
        0EE3 TAMRON Co., Ltd.
        0EE4 CAPTEMP, LDA
        0EE5 Ambient Life Inc.
        0EE6 NOCTRIX HEALTH, INC
        0EE7 RICKARD AIR DIFFUSION (PTY) LTD
        0EE8 SG Armaturen AS
        0EE9 PIXEL TI IND. E COM PROD ELETRONICOS
        0EEA Core Devices LLC
        0EEB Fujita Electric Works, Ltd
        0EEC Willow Laboratories, Inc.
        0EED BBC Bircher AG
        0EEE ELLEA INGEGNERIA SRL UNIPERSONALE
        0EEF Q42 Internet B.V.
        0EF0 Seaward Electronic
        0EF1 Wuxi Does IOT Co., Ltd
        0EF2 CAPTAIN BLINK
        0EF3 Monil AS
        0EF5 LS ELECTRIC Co., Ltd.
        0EF6 Shenzhen Cyber Innovation Technology Co., Ltd.
        0EF7 Trackonomy Systems, Inc.
        0EF8 IoT Solutions Malta Limited
        0EF9 Aseptico, Inc.
        0EFA Sensear Pty Ltd
        0EFB BLUEPROVIDERZ LLC
        0EFC Jano Life Inc.
        0EFD PRIMES GmbH
        0EFE Teledyne Instruments, Inc.
        0EFF Healthcare Technology Limited
        0F00 TRACERCO LIMITED
        0F01 HAPPLABS SOFTWARE PRIVATE LIMITED
        0F02 GE HEALTHCARE TECHNOLOGIES INC.
        0F03 Olibra LLC
        0F04 Lumen Labs (HK) Ltd
        0F05 SHENZHEN GWSTAI TECHNOLOGY CO.,LTD
        0F06 SHENZHEN POWEROAK NEWENER CO., LTD
        0F07 Tech OVN Private Limited
        0F08 Lezyne USA Inc.
        0F09 ANC CHINA LIMITED
        0F0A LION GROUP, INC.
        0F0B Brightway Innovation Intelligent Technology (Suzhou) Co., Ltd.
        0F0C Hitachi Industrial Equipment Systems Co.,Ltd.
        0F0D Maennl Elektronik GmbH
        0F0E IDEATRONIK Limited Liability Company
        0F0F caive Inc.
        0F10 ShenZhen Doctors of Intelligence & Technology Co.,Ltd
        0F11 Deep and Steep LLC
        0F12 Endur ID, Inc.
        0F13 Freshape SA
        0F14 PreEvnt, LLC
        0F15 Oval Corporation
        0F16 ADHD Friendly co.Ltd
        0F17 RORENTECH Co., Ltd.
        0F18 iKeyless, LLC
        0F19 Shenzhen SuperSound Technology Co.,Ltd
        0F1A FLO SCIENCES, LLC
        0F1B PalatiumCare LLC
        0F1C Edge Semiconductors Inc.
        0F1D ZIMMERMANN PV-Steel Group GmbH & Co. KG
        0F1E Yolni Inc.
        0F1F Ninebot (Changzhou) Tech Co., Ltd.
        0F20 Beijing Spring Creation Technology Co., Ltd.
        0F21 Rokk Limited
        0F22 ONESPACE TECHNOLOGIES (PTY) LTD
        0F23 Yuquan Semiconductor (Xiamen) Co., Ltd.
        0F24 Easy Measure Co., Ltd.
        0F25 Sichuan Changhong Neonet Technologies Co.,Ltd.
        0F26 Centromere Holding B.V.
        0F27 Global Link Distribution Corp.
        0F28 Amp Fit Israel LTD
        0F29 Trezor Company s.r.o.
        0F2A KELLER Druckmesstechnik AG
        0F2B ElitEngineering LLC
        0F2C Vision Group Inc.
        0F2D ClipsClips LLC
        0F2E BRITZ INTERNATIONAL CO.,LTD
        0F2F ThingCo Limited
        0F30 Opal Camera, Inc.
        0F31 TECHNOLOGIES FOR FREERIDE s.r.o
        0F32 FLINTEC UK LIMITED
        0F33 TETNET
        0F34 NINGBO SHARKWARD ELECTRONICS CO.,LTD
        0F35 Audeze LLC
        0F36 NODER Joint Stock Company
        0F37 Schueco International KG
        0F38 GILL INSTRUMENTS LIMITED
        0F39 Seitron Spa
        0F3A Southern Audio Services, Inc
        0F3B SANWA NEWTEC CO.,LTD.
        0F3C Mobile Technology Solutions LLC
        0F3D Vitio Medical S.L.
        0F3E Salyx Medical Inc.
        0F3F Landig + Lava GmbH & Co. KG
        0F40 Health Data Insight C.I.C.
        0F41 BONX INC.
        0F42 LINKEDCHIP TECHNOLOGY INC
        0F43 12mm Health Technology (Hainan) Co., Ltd.
        0F44 MAVERICK ENERGY SOLUTIONS INTERNATIONAL,INC
        0F45 Tactica Defense LLC
        0F46 Huizhou Meicanxin Electronics Technology Co.,Ltd
        0F47 Lodestar Technology Inc.
        0F48 Shenzhen Xinfeiyi Technology Co., Ltd.
        0F49 IYO INC.
        0F4A Mitsubishi Motors Corporation
        0F4B desamisCo.,Ltd.
        0F4C JL WORLD CORPORATION LIMITED
        0F4D Qulinda AB
        0F4E Ningbo Dooya Mechanic & Electronic Technology Co., Ltd
        0F4F G-Vision GmbH
        0F50 Lantern Innovations Incorporated
        0F51 ebm-papst Mulfingen GmbH & Co. KGaA & Co. KG
        0F52 Shenzhen Yunke Intelligent Co.Ltd
        0F53 Fledt & Meiton Marin AB
        0F54 ContiTech Deutschland GmbH
        0F55 Sensoteq Ltd
        0F56 Astute Access Group Limited
        0F57 Silverlake Technologies
        0F58 Shenzhen Guo-link Technology Co.,Ltd.
        0F59 Silicon Vandals PTY LTD
        0F5A Vibe Energy B.V.
        0F5B shanghai fudan electronics group company Co. Ltd
        0F5C Micro Technology Services, Inc.
        0F5D Leapcraft ApS
        0F5E WUXI WEIDA INTELLIGENT ELECTRONICS CO.,LTD.
        0F5F ROBSON SRL
        0F60 Quilt Systems, Inc.
        0F61 HyolimXE Co., Ltd.
        0F62 Kehwin Technologies Co. Ltd.
        0F63 WATTER, Inc.
        0F64 SafeNow GmbH
        0F65 CZV, Inc
        0F66 BIGREDBEE, LLC
        0F67 White Eagle Sonic Technologies, Inc.
        0F68 Navico
        0F69 Ancoe Industry Corporation
        0F6A Roam Devices LLC
        0F6B Skywalk Inc.
        0F6C Biogents AG
        0F6D MODRETRO, INC.
        0F6E iSi Wearable Safety GmbH
        0F6F onanoff limited
        0F70 TECHFLITTER SOLUTIONS PRIVATE LIMITED
        0F71 PIRITIZ LLC
        0F72 FLORLINK, INC.
        0F73 Keycafe Inc.
        0F74 Sperry Labs LLC
        0F75 Senseonics, Incorporated
        0F76 simatec ag
        0F77 CROSS BRAIN CO.,Ltd.
        0F78 Also, Inc.
        0F79 Walter Mueller Inc. for Industrial Electronics
        0F7A SHENZHEN GUANG QI GUO CHUANG TECHNOLOGY CO.,LTD
        0F7B SKYROAM, INC.
        0F7C Polk Audio
        0F7D eQ-3 AG
        0F7E shenzhen Holyiot Technology Co.,Ltd
        0F7F Badass eBikes GmbH
        0F80 Hydro Electronic Devices, Inc.
        0F81 IN Phase International lTD
        0F82 Amon Co.Ltd.
        0F83 Calpeda S.p.A.
        0F84 KT Micro, Inc.
        0F85 Hangzhou Sciener Smart Technology Co., Ltd.
        0F86 Lakecrest Pty Ltd
        0F87 Anacove Inc.
        0F88 Kohler Ventures, Inc.
        0F89 STOREIO TECHNOLOGIES LTD
        0F8A Innogando S.L.
        0F8B A.Y. McDonald Mfg. Co.
        0F8C ROYAL PARTS CO.,LTD
        0F8D JUREN CO., LTD.
        0F8E Biceek Inc
        0F8F SIGNUM INTELLIGENCE LTD
        0F90 MOBI7 TECNOLOGIA EM MOBILIDADE S.A.
        0F91 Valostra Digital Ventures LLP
        0F92 Ethos Group, Inc.
        0F93 Aktiebolaget Ebeco
        0F94 IDX Company, Ltd.
        0F95 Dongguang Huasoo Automation Technology Company Limited
        0F96 SEIKOIST, INC
        0F97 SPX Aids to Navigation Oy
        0F98 Fitnexa Inc
        0F99 DEZINE GROUP LLC
        0F9A Eiritsu Electronics Industry Co., Ltd.
        0F9B Hanshow Technology Co.,Ltd.
        0F9C WePower Technologies LLC
        0F9D IRTrans GmbH
        0F9E Hibino Corporation
        0F9F Seiko Future Creation Inc.
        0FA0 DP IOT
        0FA1 PALRED RETAIL PRIVATE LIMITED
        0FA2 BIA NEUROSCIENCE INC.
        0FA3 B.E.G. Brueck Electronic GmbH
        0FA4 Nice Spa
        0FA5 Avanos Medical, Inc.
        0FA6 Ugreen Group Limited
        0FA7 spheretek japan
        0FA8 Senti Technologies Private Limited
        0FA9 Ranch Systems, Inc.
        0FAA Suzhou Fanxi Technology Co., Ltd.
        0FAB Geo Radar AI Private Limited
        0FAC Flitsmeister B.V.
        0FAD The AI Toy Company
        0FAE Capacite
        0FAF Terasite Technologies
        0FB0 General Resistance, LLC
        0FB1 Avivomed Inc.
        0FB2 PLAUD Inc.
        0FB3 Hooked Society Oy Ltd
        0FB4 StoneDevices
        0FB5 Hangzhou Nano IC Technologies Co,. Ltd
        0FB6 TQ-Systems GmbH
        0FB7 Hapn Holdings, LLC
        0FB8 SITERWELL ELECTRONICS CO.,LIMITED
        0FB9 Shenzhen Mutual Technology Co., Ltd
        0FBA Cosonic Intelligent Technologies Co., Ltd.
        0FBB Rollease Acmeda, Inc.
        0FBC ATANS TECHNOLOGY INC.
        0FBD Locus Robotics Corp.
        0FBE TaigaIoT
        0FBF Tridentify AB
        0FC0 Littlebird Connected Care, Inc.
        0FC1 Air Automotive tracking Inc.
        0FC2 ISSPRO, INC
        0FC3 Shenzhen Jimi loT Co.,Ltd
        0FC4 FulScience Automotive Electronics Co., Ltd.
        0FC5 Hypershell Co., Ltd
        0FC6 ASD Lighting PLC
        0FC7 Pharox B.V.
        0FC8 Eforthink Technology Co., Ltd.
        0FC9 Zirbel Bike GmbH
        0FCA Legato Audio, Inc.
        0FCB Biocorp Production
        0FCC Neurotherapeutics Ltd
        0FCD Wimate Technology Solutions Pvt Ltd
        0FCE NOJA Power
        0FCF Nestlab AS
        0FD0 Stark Future SL
        0FD1 Auranova LLC
        0FD2 Domteknika S.A
        0FD3 YDIIT Co., Ltd
        0FD4 QRITAGYA LLP
        0FD5 Telemacy Ltd
        0FD6 LIOTYS
        0FD7 Hondata, Inc.
        0FD8 SIVA Inotec Limited
        0FD9 REMDEVICE S.R.L.
        0FDA NIVELCO PROCESS CONTROL CO.
        0FDC Beijing Hongsi Electronic Technology Co.,Ltd.
        """
}
