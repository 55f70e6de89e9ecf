/**
 * A pooler in transaction mode gives each transaction another connection of the server. That connection does not know the
 * statements that were prepared on the previous one, or has other statements with the same names. The error appears only
 * when two clients interfere, so this check runs two clients.
 */
import type { SQL } from 'bun'
import { withDeadline } from '../deadline.ts'
import { isLostStatement } from '../errors.ts'
import { connectPostgres, type PostgresSettings } from './connect.ts'

/** A pooler with a single connection to the server never answers the second client, and cannot mix up statements. */
const DEADLINE_MS = 2_000
const ROUNDS = 3

class LostStatement extends Error {}

/** False if prepared statements are on, and the server of `url` loses them. */
export async function keepsPreparedStatements(url: string, settings: PostgresSettings): Promise<boolean> {
  if (url.startsWith('sqlite:') || !settings.preparedStatements) return true
  // Guarantee of the cast: two in, two out.
  const [one, other] = [1, 2].map(() => connectPostgres(url, { ...settings, poolSize: 1 })) as [SQL, SQL]
  /** The first statement of both clients has the same name. In a transaction, Bun does not prepare it again when it is lost. */
  async function execute(client: SQL, number: 1 | 2): Promise<void> {
    await client.unsafe('BEGIN').simple()
    const [row] = await client.unsafe(`SELECT ${number} AS number WHERE $1`, [true])
    if (row?.number !== number) throw new LostStatement()
    await client.unsafe('COMMIT').simple()
  }
  async function mix(): Promise<void> {
    await execute(one, 1)
    for (let round = 0; round < ROUNDS; round++) {
      // Holds a connection while the other client prepares its statement on the next one. Afterwards the other client can
      // get the first connection.
      await one.unsafe('BEGIN').simple()
      await execute(other, 2)
      await one.unsafe('COMMIT').simple()
      await execute(other, 2)
      await execute(other, 2)
    }
  }
  try {
    await withDeadline(mix(), DEADLINE_MS, () => new Error('no response in time'))
    return true
  } catch (error) {
    // Any other error also occurs on the next connection, where it is reported.
    return !(error instanceof LostStatement || isLostStatement(error))
  } finally {
    await Promise.all([one, other].map(client => client.close({ timeout: 0 })))
  }
}
