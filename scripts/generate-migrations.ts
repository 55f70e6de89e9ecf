/**
 * `bun run generate [name]`: writes the migrations of both engines from `db/schema/tables.ts`.
 * `--check` writes nothing and fails when the tables have changed since the newest migration.
 * A migration that Drizzle cannot say (a trigger) is made by `--custom NAME` and written by hand.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { declareCommand, type Outcome, runCommand } from './command/command.ts'
import { fail, misuse } from './command/explain.ts'
import { withTableOptions } from './generate-migrations/table-options.ts'

const command = declareCommand({
  name: 'generate',
  summary: 'Writes the migrations of both engines from db/schema/tables.ts.',
  examples: [
    ['check-ins', 'writes what has changed in the tables, under this name'],
    ['--custom NAME', 'an empty migration, to be written by hand: a trigger'],
    ['--check', 'writes nothing, and leaves with 1 when the tables have changed since the newest migration'],
  ],
  database: false,
})
  .argument('[name]', 'of the migration', 'change')
  .option('--check', 'only say whether a migration is missing')
  .option('--custom', 'make an empty migration')

const root = join(import.meta.dir, '..')
const folder = join(root, 'db/migrations')
const DIALECTS = { sqlite: 'sqlite', postgres: 'postgresql' } as const
type Engine = keyof typeof DIALECTS

await runCommand(command, async ({ parameters: [name], options: { check, custom }, note }) => {
  if (check && custom) misuse('--check and --custom contradict each other')
  return check ? checkMigrations() : writeMigrations()

  async function writeMigrations(): Promise<Outcome> {
    const wrote = generateAll(folder)
    return { answer: { wrote }, text: wrote.map(path => `wrote: ${path}`).join('\n') }
  }

  async function checkMigrations(): Promise<Outcome> {
    const scratch = mkdtempSync(join(tmpdir(), 'matchday-migrations-'))
    try {
      cpSync(folder, scratch, { recursive: true })
      const missing = generateAll(scratch)
      const stale = missing.length > 0
      const verdict = stale
        ? 'The tables have changed: run `bun run generate NAME` and commit what it writes.'
        : 'Migrations are up to date with the tables.'
      const lines = [...missing.map(path => `missing: ${path}`), verdict]
      return { answer: { missing }, text: lines.join('\n'), found: stale }
    } finally {
      rmSync(scratch, { recursive: true })
    }
  }

  function generateAll(out: string): string[] {
    return [...generate('sqlite', out), ...generate('postgres', out)]
  }

  /** Answers the new files, as they are called in the repository. */
  function generate(engine: Engine, out: string): string[] {
    const target = join(out, engine)
    const before = new Set(readdirSync(target))
    const tool = Bun.spawnSync(
      [
        ...[process.execPath, '--bun', 'x', 'drizzle-kit', 'generate'],
        ...['--casing', 'snake_case', '--name', name, '--dialect', DIALECTS[engine]],
        ...['--schema', `db/schema/${engine}.ts`, '--out', relative(root, target)],
        ...(custom ? ['--custom'] : []),
      ],
      { cwd: root, stdout: 'pipe', stderr: 'pipe' },
    )
    // drizzle-kit leaves with 0 even when it fails: its words are the only sign.
    const said = `${tool.stdout}${tool.stderr}`
    if (!/No schema changes|SQL migration file/.test(said)) {
      note(said.replaceAll(`${root}/`, '').trimEnd())
      fail(`drizzle-kit has made no migration for ${engine}.`)
    }
    const added = readdirSync(target).filter(file => !before.has(file) && file.endsWith('.sql'))
    for (const file of engine === 'sqlite' ? added : []) {
      const path = join(target, file)
      writeFileSync(path, withTableOptions(readFileSync(path, 'utf8')))
    }
    return added.map(file => `db/migrations/${engine}/${file}`)
  }
})
