/** Migrates the database of the first argument and writes the report, as a process of its own. */
import { migrate } from '../../db/migrate.ts'

// A slow machine connects late.
const report = await migrate(process.argv[2] ?? '', { connectTimeoutMs: 60_000 })
process.stdout.write(JSON.stringify(report))
