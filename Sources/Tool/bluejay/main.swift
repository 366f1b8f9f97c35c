internal import BluejayTool

await ToolProgram.main()
