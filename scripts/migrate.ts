/** `bun run migrate`: brings the database of DATABASE_URL to the schema of this version. */
import { migrate } from '../db/migrate.ts'
import { createReader, readDatabaseUrl } from '../src/config/reader.ts'
import { fail } from './terminal.ts'

try {
  // The same rule as the API's, without the rest of its configuration.
  const reader = createReader(process.env)
  const url = readDatabaseUrl(reader)
  if (reader.problems.length > 0) fail(reader.problems.join('\n'))
  const { applied, total } = await migrate(url)
  process.stdout.write(
    applied === 0 ? `Up to date: ${total} migrations.\n` : `Applied ${applied} of ${total} migrations.\n`,
  )
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
