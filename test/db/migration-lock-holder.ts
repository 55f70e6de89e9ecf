/** Holds the lock of migrations of the database of the first argument, as a process of its own, until it is killed. */
import { SQL } from 'bun'
import { LOCK_MIGRATIONS } from '../../db/postgres/migration-lock.ts'
import { USE_TEST_SCHEMA } from '../support/patience.ts'

const client = new SQL(process.argv[2] ?? '', { max: 1 })
await client.unsafe('BEGIN')
if (USE_TEST_SCHEMA !== null) await client.unsafe(USE_TEST_SCHEMA)
await client.unsafe(LOCK_MIGRATIONS)
process.stdout.write('locked')
await new Promise(() => setInterval(() => {}, 60_000))
