/** `bun run migrate`: migrates the database to the schema of this version. */
import { listPendingMigrations, migrate, type PendingMigrations } from '../db/migrate.ts'
import { type CommandResult, declareCommand, runCommand } from './command/command.ts'
import { postgresSettings } from './command/database.ts'

const command = declareCommand({
  name: 'migrate',
  summary: 'Migrates the database to the schema of this version.',
  examples: [
    ['', 'the database of DATABASE_URL'],
    ['--database sqlite:data/other.db', 'another database'],
    ['--dry-run', 'lists the pending migrations'],
  ],
  changes: true,
})

await runCommand(command, async ({ options, databaseUrl }) => {
  if (options.dryRun) return plan(await listPendingMigrations(databaseUrl(), postgresSettings()))
  const { applied, total, ahead } = await migrate(databaseUrl(), postgresSettings())
  const text = applied === 0 ? upToDate(total, ahead) : `Applied ${applied} of ${total} migrations.`
  return { json: { applied, total, ahead }, text, changed: applied, textHasSummary: true }
})

function plan({ pending, total, ahead }: PendingMigrations): CommandResult {
  const title = `Would apply ${pending.length} of ${total} migrations; nothing was written (--dry-run).`
  const text =
    pending.length === 0 ? upToDate(total, ahead) : [title, ...pending.map(name => `  ${name}`)].join('\n')
  return { json: { pending, total, ahead }, text, changed: pending.length, textHasSummary: true }
}

function upToDate(total: number, ahead: number): string {
  const newer = ahead === 0 ? '' : `, and ${ahead} of a newer version, on which this version runs`
  return `Up to date: ${total} migrations${newer}.`
}
