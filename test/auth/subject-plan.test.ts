/** On PostgreSQL a subject is looked up by its own rows, also by statements that were planned before the provider had users. */
import { expect, test } from 'bun:test'
import type { Transaction } from '../../db/index.ts'
import { requireValidNativeToken, requireValidSessionToken } from '../../src/auth/token-validity.ts'
import type { Caller } from '../../src/core/caller.ts'
import { findTokenValidity } from '../../src/users/user-token-validity.ts'
import { findRecords } from '../../src/users/users.ts'
import { execute } from '../db/probe.ts'
import { postgresEngine } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'

const USERS = 5_000
/** From its sixth execution on, PostgreSQL keeps the plan of a statement. */
const EXECUTIONS = 10

const lookups: [string, (tx: Transaction, caller: Caller, sessionId: string) => Promise<unknown>][] = [
  ['The record', findRecords],
  ['The token validity', findTokenValidity],
  [
    'A session token',
    (tx, caller) => requireValidSessionToken(tx, caller, { tokenId: 'token', issuedAt: tx.now() }),
  ],
  ['A native token', requireValidNativeToken],
]

onEngine(
  postgresEngine,
  'A lookup by subject',
  world => {
    test.each(lookups)('%s reads the rows of one user', async (_, lookUp) => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      const { sessionId } = (await fan.post('/api/auth/native-token', {})).body
      const caller = { provider: 'mock-idp', subject: fan.subject, userId: undefined }
      const fetched = await world.db.write(async tx => {
        const read = async () => {
          const [row] = await execute(
            tx,
            `SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid))
             + pg_stat_get_xact_tuples_returned('users'::regclass) AS rows
             FROM pg_index WHERE indrelid = 'users'::regclass`,
          )
          return Number(row?.rows)
        }
        // As in a new database: without rows and without statistics. It comes before the other in the search path.
        await execute(tx, 'CREATE TEMP TABLE users (LIKE users INCLUDING INDEXES) ON COMMIT DROP')
        for (let n = 0; n < EXECUTIONS; n++) await lookUp(tx, caller, sessionId)
        await tx.insert(tx.tables.users).values(
          Array.from({ length: USERS }, (_, n) => ({
            id: `user-${n}`,
            provider: 'mock-idp',
            subject: `crowd-${n}`,
            createdAt: tx.now(),
            updatedAt: tx.now(),
          })),
        )
        const before = await read()
        await lookUp(tx, caller, sessionId)
        return (await read()) - before
      })
      expect(fetched).toBeLessThanOrEqual(2)
    })
  },
  { worldPer: 'test' },
)
