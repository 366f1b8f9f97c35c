// Written by .ci/assigned-numbers.
extension AssignedNumberTable {
    /// The companies by their identifiers, from 0C00 to 0DFF.
    static let companies0C00 = """
        0C00 MQA Limited
        0C01 NEOWRK SISTEMAS INTELIGENTES S.A.
        0C02 Loomanet, Inc.
        0C03 Puff Corp
        0C04 Happy Health, Inc.
        0C05 Montage Connect, Inc.
        0C06 LED Smart Inc.
        0C07 CONSTRUKTS, INC.
        0C08 limited liability company "Red"
        0C09 Senic Inc.
        0C0A Automated Pet Care Products, LLC
        0C0B aconno GmbH
        0C0C Mendeltron, Inc.
        0C0D Mereltron bv
        0C0E ALEX DENKO CO.,LTD.
        0C0F AETERLINK
        0C10 Cosmed s.r.l.
        0C11 Gordon Murray Design Limited
        0C12 IoSA
        0C13 Scandinavian Health Limited
        0C14 Fasetto, Inc.
        0C15 Geva Sol B.V.
        0C16 TYKEE PTY. LTD.
        0C17 SomnoMed Limited
        0C18 CORROHM
        0C19 Arlo Technologies, Inc.
        0C1A Catapult Group International Ltd
        0C1B Rockchip Electronics Co., Ltd.
        0C1C GEMU
        0C1D OFF Line Japan Co., Ltd.
        0C1E EC sense co., Ltd
        0C1F LVI Co.
        0C20 COMELIT GROUP S.P.A.
        0C21 Foshan Viomi Electrical Technology Co., Ltd
        0C22 Glamo Inc.
        0C23 KEYTEC,Inc.
        0C24 SMARTD TECHNOLOGIES INC.
        0C25 JURA Elektroapparate AG
        0C26 Performance Electronics, Ltd.
        0C27 Pal Electronics
        0C28 Embecta Corp.
        0C29 DENSO AIRCOOL CORPORATION
        0C2A Caresix Inc.
        0C2B GigaDevice Semiconductor Inc.
        0C2C Zeku Technology (Shanghai) Corp., Ltd.
        0C2D OTF Product Sourcing, LLC
        0C2E Easee AS
        0C2F BEEHERO, INC.
        0C30 McIntosh Group Inc
        0C31 KINDOO LLP
        0C32 Xian Yisuobao Electronic Technology Co., Ltd.
        0C33 Exeger Operations AB
        0C34 BYD Company Limited
        0C35 Thermokon-Sensortechnik GmbH
        0C37 SignalQuest, LLC
        0C38 Noritz Corporation.
        0C39 TIGER CORPORATION
        0C3B ORB Innovations Ltd
        0C3C Classified Cycling
        0C3D Wrmth Corp.
        0C3E BELLDESIGN Inc.
        0C3F Stinger Equipment, Inc.
        0C40 HORIBA, Ltd.
        0C41 Control Solutions LLC
        0C42 Heath Consultants Inc.
        0C43 Berlinger & Co. AG
        0C44 ONCELABS LLC
        0C45 Brose Verwaltung SE, Bamberg
        0C46 Granwin IoT Technology (Guangzhou) Co.,Ltd
        0C47 Epsilon Electronics,lnc
        0C48 VALEO MANAGEMENT SERVICES
        0C49 twopounds gmbh
        0C4A atSpiro ApS
        0C4B ADTRAN, Inc.
        0C4C Orpyx Medical Technologies Inc.
        0C4D Seekwave Technology Co.,ltd.
        0C4E Tactile Engineering, Inc.
        0C4F SharkNinja Operating LLC
        0C50 Imostar Technologies Inc.
        0C51 INNOVA S.R.L.
        0C52 ESCEA LIMITED
        0C53 Taco, Inc.
        0C54 HiViz Lighting, Inc.
        0C55 Zintouch B.V.
        0C56 Rheem Sales Company, Inc.
        0C57 UNEEG medical A/S
        0C58 Hykso Inc.
        0C59 CYBERDYNE Inc.
        0C5A Lockswitch Sdn Bhd
        0C5B Alban Giacomo S.P.A.
        0C5C MGM WIRELESSS HOLDINGS PTY LTD
        0C5D StepUp Solutions ApS
        0C5E BlueID GmbH
        0C5F Wuxi Linkpower Microelectronics Co.,Ltd
        0C60 KEBA Energy Automation GmbH
        0C61 NNOXX, Inc
        0C62 Phiaton Corporation
        0C63 phg Peter Hengstler GmbH + Co. KG
        0C64 dormakaba Holding AG
        0C65 WAKO CO,.LTD
        0C67 TRACKTING S.R.L.
        0C68 Emerja Corporation
        0C69 BLITZ electric motors. LTD
        0C6A CONSORCIO TRUST CONTROL - NETTEL
        0C6B GILSON SAS
        0C6C SNIFF LOGIC LTD
        0C6D Fidure Corp.
        0C6E Sensa LLC
        0C6F Parakey AB
        0C70 SCARAB SOLUTIONS LTD
        0C71 BitGreen Technolabz (OPC) Private Limited
        0C72 StreetCar ORV, LLC
        0C73 Truma Gerätetechnik GmbH & Co. KG
        0C74 yupiteru
        0C75 Embedded Engineering Solutions LLC
        0C77 TEAC Corporation
        0C78 CHARGTRON IOT PRIVATE LIMITED
        0C79 Zhuhai Smartlink Technology Co., Ltd
        0C7A Triductor Technology (Suzhou), Inc.
        0C7B PT SADAMAYA GRAHA TEKNOLOGI
        0C7C Mopeka Products LLC
        0C7D 3ALogics, Inc.
        0C7F Rochester Sensors, LLC
        0C80 CARDIOID - TECHNOLOGIES, LDA
        0C81 Carrier Corporation
        0C82 NACON
        0C83 Watchdog Systems LLC
        0C84 MAXON INDUSTRIES, INC.
        0C85 Amlogic, Inc.
        0C86 Qingdao Eastsoft Communication Technology Co.,Ltd
        0C87 Weltek Technologies Company Limited
        0C88 Nextivity Inc.
        0C89 AGZZX OPTOELECTRONICS TECHNOLOGY CO., LTD
        0C8A A.GLOBAL co.,Ltd.
        0C8B Heavys Inc
        0C8C T-Mobile USA
        0C8D tonies GmbH
        0C8E Technocon Engineering Ltd.
        0C8F Radar Automobile Sales(Shandong)Co.,Ltd.
        0C90 WESCO AG
        0C91 Yashu Systems
        0C92 Kesseböhmer Ergonomietechnik GmbH
        0C93 Movesense Oy
        0C94 Baxter Healthcare Corporation
        0C95 Gemstone Lights Canada Ltd.
        0C96 H+B Hightech GmbH
        0C97 Deako
        0C98 MiX Telematics International (PTY) LTD
        0C99 Vire Health Oy
        0C9A ALF Inc.
        0C9B NTT sonority, Inc.
        0C9C Sunstone-RTLS Ipari Szolgaltato Korlatolt Felelossegu Tarsasag
        0C9D Ribbiot, INC.
        0C9E ECCEL CORPORATION SAS
        0C9F Dragonfly Energy Corp.
        0CA0 BIGBEN
        0CA1 YAMAHA MOTOR CO.,LTD.
        0CA2 XSENSE LTD
        0CA3 MAQUET GmbH
        0CA4 MITSUBISHI ELECTRIC LIGHTING CO, LTD
        0CA5 Princess Cruise Lines, Ltd.
        0CA6 Megger Ltd
        0CA7 Verve InfoTec Pty Ltd
        0CA8 Sonas, Inc.
        0CA9 Mievo Technologies Private Limited
        0CAA Shenzhen Poseidon Network Technology Co., Ltd
        0CAB HERUTU ELECTRONICS CORPORATION
        0CAC Shenzhen Shokz Co.,Ltd.
        0CAD Shenzhen Openhearing Tech CO., LTD .
        0CAE Evident Corporation
        0CAF NEURINNOV
        0CB0 SwipeSense, Inc.
        0CB1 RF Creations
        0CB2 SHINKAWA Sensor Technology, Inc.
        0CB3 janova GmbH
        0CB4 Eberspaecher Climate Control Systems GmbH
        0CB5 Racketry, d. o. o.
        0CB6 THE EELECTRIC MACARON LLC
        0CB7 Cucumber Lighting Controls Limited
        0CB9 seca GmbH & Co. KG
        0CBA Ameso Tech (OPC) Private Limited
        0CBB Emlid Tech Kft.
        0CBC TROX GmbH
        0CBD Pricer AB
        0CBF Forward Thinking Systems LLC.
        0CC0 Garnet Instruments Ltd.
        0CC1 CLEIO Inc.
        0CC2 Anker Innovations Limited
        0CC3 HMD Global Oy
        0CC4 ABUS August Bremicker Soehne Kommanditgesellschaft
        0CC5 Open Road Solutions, Inc.
        0CC6 Serial Technology Corporation
        0CC7 SB C&S Corp.
        0CC8 TrikThom
        0CC9 Innocent Technology Co., Ltd.
        0CCA Cyclops Marine Ltd
        0CCB NOTHING TECHNOLOGY LIMITED
        0CCC Kord Defence Pty Ltd
        0CCD YanFeng Visteon(Chongqing) Automotive Electronic Co.,Ltd
        0CCE SENOSPACE LLC
        0CCF Shenzhen CESI Information Technology Co., Ltd.
        0CD0 MooreSilicon Semiconductor Technology (Shanghai) Co., LTD.
        0CD1 Imagine Marketing Limited
        0CD2 EQOM SSC B.V.
        0CD3 TechSwipe
        0CD4 Reoqoo IoT Technology Co., Ltd.
        0CD5 Numa Products, LLC
        0CD6 HHO (Hangzhou) Digital Technology Co., Ltd.
        0CD7 Maztech Industries, LLC
        0CD8 SIA Mesh Group
        0CD9 Minami acoustics Limited
        0CDA Wolf Steel ltd
        0CDB Circus World Displays Limited
        0CDC Ypsomed AG
        0CDD Alif Semiconductor, Inc.
        0CDF SHENZHEN CHENYUN ELECTRONICS CO., LTD
        0CE0 VODALOGIC PTY LTD
        0CE1 Regal Beloit America, Inc.
        0CE2 CORVENT MEDICAL, INC.
        0CE3 Taiwan Fuhsing
        0CE4 Off-Highway Powertrain Services Germany GmbH
        0CE5 Amina Distribution AS
        0CE6 McWong International, Inc.
        0CE7 TAG HEUER SA
        0CE8 Dongguan Yougo Electronics Co.,Ltd.
        0CE9 PEAG, LLC dba JLab Audio
        0CEA HAYWARD INDUSTRIES, INC.
        0CEB Shenzhen Tingting Technology Co. LTD
        0CEC Pacific Coast Fishery Services (2003) Inc.
        0CED CV. NURI TEKNIK
        0CEE MadgeTech, Inc
        0CEF POGS B.V.
        0CF0 THOTAKA TEKHNOLOGIES INDIA PRIVATE LIMITED
        0CF1 Midmark
        0CF3 Radio Sound
        0CF4 SOLUX PTY LTD
        0CF5 BOS Balance of Storage Systems AG
        0CF6 OJ Electronics A/S
        0CF7 TVS Motor Company Ltd.
        0CF8 core sensing GmbH
        0CF9 Tamblue Oy
        0CFA Protect Animals With Satellites LLC
        0CFB Tyromotion GmbH
        0CFC ElectronX design
        0CFE Thule Group AB
        0CFF Ergodriven Inc
        0D00 Sparkpark AS
        0D01 KEEPEN
        0D02 Rocky Mountain ATV/MC Jake Wilson
        0D03 MakuSafe Corp
        0D04 Bartec Auto Id Ltd
        0D05 Energy Technology and Control Limited
        0D06 doubleO Co., Ltd.
        0D07 Datalogic S.r.l.
        0D08 Datalogic USA, Inc.
        0D09 Leica Geosystems AG
        0D0A CATEYE Co., Ltd.
        0D0B Research Products Corporation
        0D0C Planmeca Oy
        0D0D C.Ed. Schulte GmbH Zylinderschlossfabrik
        0D0E PetVoice Co., Ltd.
        0D0F Timebirds Australia Pty Ltd
        0D10 JVC KENWOOD Corporation
        0D12 Spartek Systems Inc.
        0D13 MERRY ELECTRONICS CO., LTD.
        0D14 Merry Electronics (S) Pte Ltd
        0D15 Spark
        0D16 Nations Technologies Inc.
        0D17 Akix S.r.l.
        0D18 Bioliberty Ltd
        0D19 C.G. Air Systemes Inc.
        0D1A Maturix ApS
        0D1B RACHIO, INC.
        0D1C LIMBOID LLC
        0D1D Electronics4All Inc.
        0D1E FESTINA LOTUS SA
        0D1F Synkopi, Inc.
        0D20 SCIENTERRA LIMITED
        0D21 Cennox Group Limited
        0D22 Cedarware, Corp.
        0D23 GREE Electric Appliances, Inc. of Zhuhai
        0D24 Japan Display Inc.
        0D25 System Elite Holdings Group Limited
        0D26 Burkert Werke GmbH & Co. KG
        0D27 velocitux
        0D28 FUJITSU COMPONENT LIMITED
        0D29 MIYAKAWA ELECTRIC WORKS LTD.
        0D2A PhysioLogic Devices, Inc.
        0D2B Sensoryx AG
        0D2C SIL System Integration Laboratory GmbH
        0D2D Cooler Pro, LLC
        0D2E Advanced Electronic Applications, Inc
        0D2F Delta Development Team, Inc
        0D30 Laxmi Therapeutic Devices, Inc.
        0D31 SYNCHRON, INC.
        0D32 Badger Meter
        0D33 Micropower Group AB
        0D34 ZILLIOT TECHNOLOGIES PRIVATE LIMITED
        0D35 Universidad Politecnica de Madrid
        0D36 XIHAO INTELLIGENGT TECHNOLOGY CO., LTD
        0D37 Zerene Inc.
        0D38 CycLock
        0D39 Systemic Games, LLC
        0D3A Frost Solutions, LLC
        0D3B Lone Star Marine Pty Ltd
        0D3C SIRONA Dental Systems GmbH
        0D3D bHaptics Inc.
        0D3E LUMINOAH, INC.
        0D3F Vogels Products B.V.
        0D40 SignalFire Telemetry, Inc.
        0D41 CPAC Systems AB
        0D42 TEKTRO TECHNOLOGY CORPORATION
        0D43 Gosuncn Technology Group Co., Ltd.
        0D44 Ex Makhina Inc.
        0D45 Odeon, Inc.
        0D46 Thales Simulation & Training AG
        0D47 Shenzhen DOKE Electronic Co., Ltd
        0D48 Vemcon GmbH
        0D49 Refrigerated Transport Electronics, Inc.
        0D4A Rockpile Solutions, LLC
        0D4B Soundwave Hearing, LLC
        0D4D Optec, LLC
        0D4E NIKAT SOLUTIONS PRIVATE LIMITED
        0D4F Movano Inc.
        0D50 NINGBO FOTILE KITCHENWARE CO., LTD.
        0D51 Genetus inc.
        0D52 DIVAN TRADING CO., LTD.
        0D53 Luxottica Group S.p.A
        0D54 ISEKI FRANCE S.A.S
        0D55 NO CLIMB PRODUCTS LTD
        0D56 Wellang.Co,.Ltd
        0D57 Nanjing Xinxiangyuan Microelectronics Co., Ltd.
        0D58 ifm electronic gmbh
        0D59 HYUPSUNG MACHINERY ELECTRIC CO., LTD.
        0D5A Gunnebo Aktiebolag
        0D5B Axis Communications AB
        0D5D Stogger B.V.
        0D5E Pella Corp
        0D5F SiChuan Homme Intelligent Technology co.,Ltd.
        0D60 Smart Products Connection, S.A.
        0D61 F.I.P. FORMATURA INIEZIONE POLIMERI - S.P.A.
        0D62 MEBSTER s.r.o.
        0D63 SKF France
        0D64 Southco
        0D65 Molnlycke Health Care AB
        0D66 Hendrickson USA , L.L.C
        0D67 BLACK BOX NETWORK SERVICES INDIA PRIVATE LIMITED
        0D68 Status Audio LLC
        0D69 AIR AROMA INTERNATIONAL PTY LTD
        0D6A Helge Kaiser GmbH
        0D6B Crane Payment Innovations, Inc.
        0D6C Ambient IoT Pty Ltd
        0D6D DYNAMOX S/A
        0D6E Look Cycle International
        0D6F Closed Joint Stock Company NVP BOLID
        0D70 Kindhome
        0D71 Kiteras Inc.
        0D72 Earfun Technology (HK) Limited
        0D73 iota Biosciences, Inc.
        0D74 ANUME s.r.o.
        0D75 Indistinguishable From Magic, Inc.
        0D76 i-focus Co.,Ltd
        0D77 DualNetworks SA
        0D78 MITACHI CO.,LTD.
        0D79 VIVIWARE JAPAN, Inc.
        0D7A Xiamen Intretech Inc.
        0D7B MindMaze SA
        0D7C BeiJing SmartChip Microelectronics Technology Co.,Ltd
        0D7D Taiko Audio B.V.
        0D7E Daihatsu Motor Co., Ltd.
        0D7F Konova
        0D80 Gravaa B.V.
        0D81 Beyerdynamic GmbH & Co. KG
        0D82 VELCO
        0D83 ATLANTIC SOCIETE FRANCAISE DE DEVELOPPEMENT THERMIQUE
        0D84 Testo SE & Co. KGaA
        0D85 SEW-EURODRIVE GmbH & Co KG
        0D86 ROCKWELL AUTOMATION, INC.
        0D87 Quectel Wireless Solutions Co., Ltd.
        0D89 Nanohex Corp
        0D8A Simply Embedded Inc.
        0D8B Software Development, LLC
        0D8C Ultimea Technology (Shenzhen) Limited
        0D8D RF Electronics Limited
        0D8E Optivolt Labs, Inc.
        0D8F Canon Electronics Inc.
        0D90 LAAS ApS
        0D91 Beamex Oy Ab
        0D92 TACHIKAWA CORPORATION
        0D93 HagerEnergy GmbH
        0D95 Hunter Industries Incorporated
        0D96 NEOKOHM SISTEMAS ELETRONICOS LTDA
        0D97 Zhejiang Huanfu Technology Co., LTD
        0D98 E.F. Johnson Company
        0D99 Caire Inc.
        0D9A Yeasound (Xiamen) Hearing Technology Co., Ltd
        0D9B Boxyz, Inc.
        0D9C Skytech Creations Limited
        0D9D Cear, Inc.
        0D9E Impulse Wellness LLC
        0D9F MML US, Inc
        0DA0 SICK AG
        0DA1 Fen Systems Ltd.
        0DA2 KIWI.KI GmbH
        0DA3 Airgraft Inc.
        0DA4 HP Tuners
        0DA5 PIXELA CORPORATION
        0DA6 Generac Corporation
        0DA7 Novoferm tormatic GmbH
        0DA8 Airwallet ApS
        0DA9 Inventronics GmbH
        0DAA Shenzhen EBELONG Technology Co., Ltd.
        0DAB Efento
        0DAC ITALTRACTOR ITM S.P.A.
        0DAE TITUM AUDIO, INC.
        0DAF Hexagon Aura Reality AG
        0DB0 Invisalert Solutions, Inc.
        0DB1 TELE System Communications Pte. Ltd.
        0DB2 Whirlpool
        0DB3 SHENZHEN REFLYING ELECTRONIC CO., LTD
        0DB4 Franklin Control Systems
        0DB5 Djup AB
        0DB6 SAFEGUARD EQUIPMENT, INC.
        0DB7 Morningstar Corporation
        0DB8 Shenzhen Chuangyuan Digital Technology Co., Ltd
        0DB9 CompanyDeep Ltd
        0DBA Veo Technologies ApS
        0DBB Nexis Link Technology Co., Ltd.
        0DBC Felion Technologies Company Limited
        0DBD MAATEL
        0DBE HELLA GmbH & Co. KGaA
        0DBF HWM-Water Limited
        0DC0 Shenzhen Jahport Electronic Technology Co., Ltd.
        0DC1 NACHI-FUJIKOSHI CORP.
        0DC2 Cirrus Research plc
        0DC3 GEARBAC TECHNOLOGIES INC.
        0DC4 Hangzhou NationalChip Science & Technology Co.,Ltd
        0DC5 DHL
        0DC6 Levita
        0DC7 MORNINGSTAR FX PTE. LTD.
        0DC8 ETO GRUPPE TECHNOLOGIES GmbH
        0DC9 farmunited GmbH
        0DCA Aptener Mechatronics Private Limited
        0DCB GEOPH, LLC
        0DCC Trotec GmbH
        0DCD Astra LED AG
        0DCE NOVAFON - Electromedical devices limited liability company
        0DCF KUBU SMART LIMITED
        0DD0 ESNAH
        0DD1 OrangeMicro Limited
        0DD2 Fresh n Rebel B.V.
        0DD3 Global Satellite Engineering
        0DD4 KOQOON GmbH & Co.KG
        0DD5 BEEPINGS
        0DD6 MODULAR MEDICAL, INC.
        0DD7 Xiant Technologies, Inc.
        0DD9 SCHELL GmbH & Co. KG
        0DDA Minebea Intec GmbH
        0DDB KAGA FEI Co., Ltd.
        0DDC AUTHOR-ALARM, razvoj in prodaja avtomobilskih sistemov proti kraji, d.o.o.
        0DDD Tozoa LLC
        0DDE SHENZHEN DNS INDUSTRIES CO., LTD.
        0DDF Shenzhen Lunci Technology Co., Ltd
        0DE0 KNOG PTY. LTD.
        0DE1 Outshiny India Private Limited
        0DE2 TAMADIC Co., Ltd.
        0DE3 Shenzhen MODSEMI Co., Ltd
        0DE4 EMBEINT INC
        0DE5 Ehong Technology Co.,Ltd
        0DE6 DEXATEK Technology LTD
        0DE7 Dendro Technologies, Inc.
        0DE8 Vivint, Inc.
        0DE9 General Laser GmbH
        0DEA Kathrein Solutions GmbH
        0DEB Fitz Inc.
        0DEC ATEGENOS PHARMACEUTICALS INC
        0DED Flextronic GmbH
        0DEE Safety Swim LLC
        0DEF SING SUN TECHNOLOGY (INTERNATIONAL) LIMITED
        0DF0 Woncan (Hong Kong) Limited
        0DF1 iFLYTEK (Suzhou) Technology Co., Ltd.
        0DF2 Weber-Stephen Products LLC
        0DF3 hDrop Technologies Inc.
        0DF4 REEKON TOOLS INC.
        0DF5 Delta Faucet Company
        0DF6 Mutrack Co., Ltd
        0DF7 Hangzhou Zhaotong Microelectronics Co., Ltd.
        0DF8 Chengdu CSCT Microelectronics Co., Ltd.
        0DF9 Belusun Technology Ltd.
        0DFA Shenzhen Matches IoT Technology Co., Ltd.
        0DFB Beidou Intelligent Connected Vehicle Technology Co., Ltd.
        0DFC SOJI ELECTRONICS JOINT STOCK COMPANY
        0DFD BH Technologies
        0DFE Haptech, Inc.
        0DFF WaveRF, Corp.
        """
}
