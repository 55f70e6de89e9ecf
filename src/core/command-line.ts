/** How Matchday is called: with Bun in the repository, or as the executable that `bun run build` makes. */

/** What an operator types to run a command: `bun run grant` or `matchday grant`. */
export const commandLine = (command: string): string =>
  `${Bun.isStandaloneExecutable ? 'matchday' : 'bun run'} ${command}`

/** The arguments that start another process: a file with Bun and its flags, or a command of the executable. */
export const processOf = (command: string, file: string, flags: string[]): string[] =>
  Bun.isStandaloneExecutable ? [process.execPath, command] : [process.execPath, ...flags, file]
