/** The capability of docs/recipes/capability.md, as the page writes it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = readFileSync(join(import.meta.dir, '../../docs/recipes/capability.md'), 'utf8')

/** `path`: text, then the file. */
const FILES = /^`((?:db|src|test)\/[\w/.-]+\.ts)`: [\s\S]*?```ts\n([\s\S]*?)```/gm
/** A row of the tables: a line that is added after another one. */
const ROWS = /^\| `([\w/.-]+\.ts)` \| `(.+)` \| `(.+)` \|$/gm

/** The paths of its files. */
export const capabilityFiles = [...page.matchAll(FILES)].map(([, file = '']) => file)

/** The lines that its rows add, each with the one line that it follows. */
export const capabilityRows = [...page.matchAll(ROWS)].map(([, file = '', after = '', added = '']) => ({
  file,
  after,
  added,
}))

/** The places of a line in a text, without regard to indentation. */
export const placesOf = (line: string, lines: readonly string[]): number[] =>
  lines.flatMap((other, place) => (other.trim() === line ? [place] : []))

/** Adds it to a copy of the repository, with its migrations: then call `writeProblems`. @throws Error if a file does not have a line once */
export async function addCapability(copy: string): Promise<void> {
  for (const [, file = '', code = ''] of page.matchAll(FILES)) await Bun.write(join(copy, file), code)
  for (const { file, after, added } of capabilityRows) {
    const path = join(copy, file)
    const lines = readFileSync(path, 'utf8').split('\n')
    const [place, ...more] = placesOf(after, lines)
    if (place === undefined || more.length > 0)
      throw new Error(`${file} does not have this line once: ${after}`)
    lines.splice(place + 1, 0, added)
    await Bun.write(path, lines.join('\n'))
  }
  generate(copy, 'generate-migrations', 'thanks')
}

/** Writes what the operations of a copy of the repository throw. */
export const writeProblems = (copy: string): void => generate(copy, 'problems')

function generate(copy: string, script: string, ...parameters: string[]): void {
  const command = [process.execPath, `scripts/${script}.ts`, ...parameters]
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: copy })
  if (exitCode !== 0) throw new Error(`${script} failed:\n${stdout}${stderr}`)
}
