/** Migrates the database of the first argument and writes the report, as a process of its own. */
import { migrate } from '../../db/migrate.ts'

// A slow machine connects late.
const schema = process.env.TEST_DATABASE_SCHEMA || null
const report = await migrate(process.argv[2] ?? '', { connectTimeoutMs: 60_000, schema })
process.stdout.write(JSON.stringify(report))
