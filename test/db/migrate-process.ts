/** Migrates the database of the first argument and writes the report, as a process of its own. */
import { migrate } from '../../db/migrate.ts'

process.stdout.write(JSON.stringify(await migrate(process.argv[2] ?? '')))
