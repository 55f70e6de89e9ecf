/**
 * Databases for tests on any PostgreSQL-compatible cluster, by statements that distributed engines have too: no templates, no
 * advisory locks, no transaction ids. Slower than `server-databases.ts`: each is migrated, and then emptied for the next test.
 */
import { migrate } from '../../db/migrate.ts'
import { createPostgresClient } from '../../db/postgres/client.ts'
import { repeatOnConflict } from '../../db/postgres/conflicts.ts'
import { connect } from './kept-pool.ts'
import { POOL_SIZE, patientPostgres } from './patience.ts'
import { databaseUrl, deleteRowsOf, type ServerDatabase } from './server-databases.ts'

const PATIENCE_MS = 60_000

/** Gives databases that are migrated and empty, whose names begin with `prefix`. The caller of the process drops them. */
export function clusterDatabasesOf(
  server: string,
  prefix: string,
  isolation: string,
): () => Promise<ServerDatabase> {
  const free: string[] = []
  let created = 0

  async function create(): Promise<string> {
    const name = `${prefix}${++created}`
    const admin = await connect(server)
    await admin.unsafe(`CREATE DATABASE ${name}`)
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
    await admin.close()
    const url = databaseUrl(server, name)
    await migrate(url)
    return url
  }

  async function empty(url: string): Promise<void> {
    const connection = await connect(url)
    await repeatOnConflict(PATIENCE_MS, () => connection.unsafe(EMPTY).simple())
    await connection.close()
  }

  return async () => {
    const used = free.pop()
    if (used !== undefined) await empty(used)
    const url = used ?? (await create())
    const client = createPostgresClient(url, { ...patientPostgres, poolSize: POOL_SIZE })
    return {
      url,
      client,
      async release() {
        await client.close()
        free.push(url)
      },
    }
  }
}

/** Of every table: sizes are not known everywhere. */
const EMPTY = deleteRowsOf('true')
