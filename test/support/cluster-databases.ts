/**
 * Databases or schemas for tests on any PostgreSQL-compatible cluster, by statements that distributed engines have too: no templates, no
 * advisory locks, no transaction ids. Slower than `server-databases.ts`: each is migrated, and then emptied for the next test.
 */
import { migrate } from '../../db/migrate.ts'
import { createPostgresClient } from '../../db/postgres/client.ts'
import { repeatOnConflict } from '../../db/postgres/conflicts.ts'
import { findNode } from '../../db/postgres/schema-node.ts'
import { connect } from './kept-pool.ts'
import { POOL_SIZE, patientPostgres } from './patience.ts'
import { databaseUrl, deleteRowsOf, type ServerDatabase } from './server-databases.ts'

const PATIENCE_MS = 60_000

/** Gives databases that are migrated and empty, whose names begin with `prefix`. The caller of the process drops them. */
export const clusterDatabasesOf = (server: string, prefix: string, isolation: string) =>
  emptyOnes(prefix, async name => {
    const admin = await connect(server)
    await admin.unsafe(`CREATE DATABASE ${name}`)
    await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`)
    await admin.close()
    const url = databaseUrl(server, name)
    await migrate(url)
    return url
  })

/**
 * The same with schemas of one database of Citus, each at the address of its node: where the statements of a process with
 * DATABASE_SCHEMA go.
 */
export const clusterSchemasOf = (coordinator: string, prefix: string) =>
  emptyOnes(prefix, async name => {
    await migrate(coordinator, { schema: name })
    const node = new URL(await findNode(coordinator, { schema: name }))
    node.searchParams.set('search_path', name)
    return node.href
  })

function emptyOnes(prefix: string, create: (name: string) => Promise<string>): () => Promise<ServerDatabase> {
  const free: string[] = []
  let created = 0

  async function empty(url: string): Promise<void> {
    const connection = await connect(url)
    await repeatOnConflict(PATIENCE_MS, () => connection.unsafe(EMPTY).simple())
    await connection.close()
  }

  return async () => {
    const used = free.pop()
    if (used !== undefined) await empty(used)
    const url = used ?? (await create(`${prefix}${++created}`))
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
