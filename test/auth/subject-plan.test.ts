/** The check of a native token on PostgreSQL reads one user, however many users the provider has. */
import { expect, test } from 'bun:test'
import { requireValidNativeToken } from '../../src/auth/token-validity.ts'
import { execute } from '../db/probe.ts'
import { postgresEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const USERS = 5_000

onEngine(postgresEngine, 'The check of a native token', world => {
  test('fetches the rows of one user', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/onboarding', {})
    const { sessionId } = (await fan.post('/api/auth/native-token', {})).body
    await world.db.write(tx =>
      tx.insert(tx.tables.users).values(
        Array.from({ length: USERS }, (_, n) => ({
          id: `user-${n}`,
          provider: 'mock-idp',
          subject: `crowd-${n}`,
          createdAt: tx.now(),
          updatedAt: tx.now(),
        })),
      ),
    )
    const caller = { provider: 'mock-idp', subject: fan.subject, userId: undefined }
    const fetched = await world.db.write(async tx => {
      const read = async () => {
        const [row] = await execute(
          tx,
          `SELECT pg_stat_get_xact_tuples_fetched('users'::regclass)
             + pg_stat_get_xact_tuples_returned('users'::regclass) AS rows`,
        )
        return Number(row?.rows)
      }
      const before = await read()
      await requireValidNativeToken(tx, caller, sessionId)
      return (await read()) - before
    })
    expect(fetched).toBeLessThanOrEqual(2)
  })
})
