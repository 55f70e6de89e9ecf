/**
 * `bun run generate [name]`: writes the migrations of both engines from `db/tables.ts`.
 * `--check` writes nothing and fails when the tables have changed since the newest migration.
 * A migration that Drizzle cannot say (a trigger) is made by `--custom NAME` and written by hand.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, custom: { type: 'boolean' } },
  allowPositionals: true,
})
const name = positionals[0] ?? 'change'
const root = join(import.meta.dir, '..')
const folder = join(root, 'db/migrations')
const scratch = mkdtempSync(join(tmpdir(), 'matchday-migrations-'))
const out = values.check ? scratch : folder
if (values.check) cpSync(folder, scratch, { recursive: true })

let stale = false
for (const [engine, dialect] of [
  ['sqlite', 'sqlite'],
  ['postgres', 'postgresql'],
] as const) {
  const before = new Set(readdirSync(join(out, engine)))
  const tool = Bun.spawnSync(
    [
      ...[
        process.execPath,
        '--bun',
        'x',
        'drizzle-kit',
        'generate',
        '--casing',
        'snake_case',
        '--name',
        name,
      ],
      ...[
        '--dialect',
        dialect,
        '--schema',
        `db/tables.${engine}.ts`,
        '--out',
        relative(root, join(out, engine)),
      ],
      ...(values.custom ? ['--custom'] : []),
    ],
    { cwd: root, stdout: 'pipe', stderr: 'pipe' },
  )
  // drizzle-kit leaves with 0 even when it fails: its words are the only sign.
  const said = `${tool.stdout}${tool.stderr}`
  if (!/No schema changes|SQL migration file/.test(said)) {
    process.stderr.write(said)
    process.exit(1)
  }
  const added = readdirSync(join(out, engine)).filter(file => !before.has(file) && file.endsWith('.sql'))
  for (const file of added) {
    const path = join(out, engine, file)
    // STRICT: SQLite then refuses a value of the wrong type instead of storing it. Drizzle cannot say it.
    if (engine === 'sqlite') {
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(CREATE TABLE [\s\S]*?\n\));/g, '$1 STRICT;'))
    }
    process.stdout.write(`${values.check ? 'missing' : 'wrote'}: db/migrations/${engine}/${file}\n`)
  }
  stale ||= added.length > 0
}
rmSync(scratch, { recursive: true })

if (values.check) {
  process.stdout.write(
    stale
      ? 'The tables have changed: run `bun run generate NAME` and commit what it writes.\n'
      : 'Migrations are up to date with the tables.\n',
  )
  process.exit(stale ? 1 : 0)
}
