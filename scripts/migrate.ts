/** `bun run migrate`: brings the database of DATABASE_URL to the schema of this version. */
import { migrate } from '../db/migrate.ts'
import { developmentDefaults } from '../src/config.ts'
import { fail } from './terminal.ts'

const url = process.env.DATABASE_URL ?? developmentDefaults.DATABASE_URL
try {
  const { applied, total } = await migrate(url)
  process.stdout.write(
    applied === 0 ? `Up to date: ${total} migrations.\n` : `Applied ${applied} of ${total} migrations.\n`,
  )
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
