/**
 * `bun run generate [name]`: writes the migrations of both engines from `db/schema/tables.ts`.
 * `--check` writes nothing and fails if the tables have changed since the newest migration.
 * `--custom NAME` creates an empty migration for what Drizzle cannot express, such as triggers.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import { withTableOptions } from './generate-migrations/table-options.ts'

const command = declareCommand({
  name: 'generate',
  summary: 'Writes the migrations of both engines from db/schema/tables.ts.',
  examples: [
    ['check-ins', 'writes the changes of the tables as a migration of this name'],
    ['--custom NAME', 'an empty migration, to be written by hand, such as a trigger'],
    ['--check', 'writes nothing; exits with 1 if the tables have changed since the newest migration'],
  ],
  database: false,
})
  .argument('[name]', 'name of the migration', 'change')
  .option('--check', 'only check whether a migration is missing')
  .option('--custom', 'create an empty migration')

const root = join(import.meta.dir, '..')
const folder = join(root, 'db/migrations')
const DIALECTS = { sqlite: 'sqlite', postgres: 'postgresql' } as const
type Engine = keyof typeof DIALECTS

await runCommand(command, async ({ parameters: [name], options: { check, custom }, note }) => {
  if (check && custom) failUsage('--check and --custom are mutually exclusive')
  return check ? checkMigrations() : writeMigrations()

  async function writeMigrations(): Promise<CommandResult> {
    const wrote = generateAll(folder)
    return { json: { wrote }, text: wrote.map(path => `wrote: ${path}`).join('\n') }
  }

  async function checkMigrations(): Promise<CommandResult> {
    const scratch = mkdtempSync(join(tmpdir(), 'matchday-migrations-'))
    try {
      cpSync(folder, scratch, { recursive: true })
      const missing = generateAll(scratch)
      const stale = missing.length > 0
      const verdict = stale
        ? 'The tables have changed: run `bun run generate NAME` and commit the result.'
        : 'Migrations are up to date with the tables.'
      const lines = [...missing.map(path => `missing: ${path}`), verdict]
      return { json: { missing }, text: lines.join('\n'), found: stale }
    } finally {
      rmSync(scratch, { recursive: true })
    }
  }

  function generateAll(out: string): string[] {
    return [...generate('sqlite', out), ...generate('postgres', out)]
  }

  /** Returns the paths of the new files in the repository. */
  function generate(engine: Engine, out: string): string[] {
    const target = join(out, engine)
    const before = new Set(readdirSync(target))
    const tool = Bun.spawnSync(
      [
        ...[process.execPath, '--bun', 'x', 'drizzle-kit', 'generate'],
        ...['--casing', 'snake_case', '--name', name, '--dialect', DIALECTS[engine]],
        ...['--schema', `db/schema/${engine}.cjs`, '--out', relative(root, target)],
        ...(custom ? ['--custom'] : []),
      ],
      { cwd: root, stdout: 'pipe', stderr: 'pipe' },
    )
    // drizzle-kit exits with 0 even when it fails: only its output tells.
    const output = `${tool.stdout}${tool.stderr}`
    if (!/No schema changes|SQL migration file/.test(output)) {
      note(output.replaceAll(`${root}/`, '').trimEnd())
      fail(`drizzle-kit created no migration for ${engine}.`)
    }
    keepNewestSnapshot(join(target, 'meta'))
    const added = readdirSync(target).filter(file => !before.has(file) && file.endsWith('.sql'))
    const complete = engine === 'sqlite' ? withTableOptions : withoutSchema
    for (const file of added) {
      const path = join(target, file)
      writeFileSync(path, complete(readFileSync(path, 'utf8')))
    }
    return added.map(file => `db/migrations/${engine}/${file}`)
  }
})

/** drizzle-kit names the schema in references: tables are those of the schema of the connection. */
function withoutSchema(migration: string): string {
  return migration.replaceAll('"public".', '')
}

/** drizzle-kit compares the tables with the newest snapshot only, and writes seven lines for each column: here it has one. */
function keepNewestSnapshot(meta: string): void {
  const snapshots = readdirSync(meta)
    .filter(file => file.endsWith('_snapshot.json'))
    .sort()
  for (const file of snapshots.slice(0, -1)) rmSync(join(meta, file))
  const newest = join(meta, snapshots.at(-1) ?? '')
  writeFileSync(newest, `${inLines(JSON.parse(readFileSync(newest, 'utf8')))}\n`)
}

/** As JSON, with each value that has no further lists or objects in one line. */
function inLines(value: unknown, indent = ''): string {
  if (!isObject(value) || !Object.values(value).some(isObject)) return JSON.stringify(value)
  const inner = `${indent}  `
  const [open, close, lines] = Array.isArray(value)
    ? ['[', ']', value.map(item => inLines(item, inner))]
    : ['{', '}', Object.entries(value).map(([name, of]) => `${JSON.stringify(name)}: ${inLines(of, inner)}`)]
  return `${open}\n${lines.map(line => `${inner}${line}`).join(',\n')}\n${indent}${close}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
