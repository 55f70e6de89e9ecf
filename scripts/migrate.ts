/** `bun run migrate`: brings the database to the schema of this version. */
import { migrate } from '../db/migrate.ts'
import { declareCommand, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'migrate',
  summary: 'Brings the database to the schema of this version, and does nothing else.',
  examples: [
    ['', 'the database of DATABASE_URL'],
    ['--database sqlite:data/other.db', 'another one'],
  ],
})

await runCommand(command, async ({ databaseUrl }) => {
  const { applied, total } = await migrate(databaseUrl())
  const text =
    applied === 0 ? `Up to date: ${total} migrations.` : `Applied ${applied} of ${total} migrations.`
  return { answer: { applied, total }, text }
})
