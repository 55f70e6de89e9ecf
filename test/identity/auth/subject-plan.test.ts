/** On PostgreSQL a subject is looked up by its own rows, also by statements that were planned before the provider had users. */
import { expect, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import type { Subject } from '../../../src/core/caller.ts'
import { checkStreamTokens } from '../../../src/identity/auth/stream-tokens.ts'
import {
  requireValidNativeToken,
  requireValidSessionToken,
} from '../../../src/identity/auth/token-validity.ts'
import { findTokenValidities, findTokenValidity } from '../../../src/identity/users/user-token-validity.ts'
import { findRecords } from '../../../src/identity/users/users.ts'
import { countRowsRead } from '../../db/plans.ts'
import { onServer } from '../../support/world.ts'

const ROWS = 5_000

const lookups: [string, (tx: Transaction, caller: Subject, sessionId: string) => Promise<unknown>][] = [
  ['The record', findRecords],
  ['The token validity', findTokenValidity],
  [
    'The token validity of a list',
    (tx, { provider, subject }) => findTokenValidities(tx, provider, [subject]),
  ],
  [
    'A session token',
    (tx, caller) => requireValidSessionToken(tx, caller, { tokenId: 'token', issuedAt: tx.now() }),
  ],
  ['A native token', requireValidNativeToken],
]

onServer(
  'A lookup by subject',
  world => {
    test.each(lookups)('%s reads the rows of one user', async (_, lookUp) => {
      const fan = await world.fan()
      await fan.post('/api/user/onboarding', {})
      const { sessionId } = (await fan.post('/api/auth/native-token', {})).body
      const caller = { provider: 'mock-idp', subject: fan.subject }
      const fetched = await world.db.write(tx =>
        countRowsRead(tx, 'users', {
          query: () => lookUp(tx, caller, sessionId),
          fill: () =>
            tx.insert(tx.tables.users).values(
              Array.from({ length: ROWS }, (_, n) => ({
                id: `user-${n}`,
                provider: 'mock-idp',
                subject: `crowd-${n}`,
                createdAt: tx.now(),
                updatedAt: tx.now(),
              })),
            ),
        }),
      )
      expect(fetched).toBeLessThanOrEqual(2)
    })

    test('Open tokens read their own revocations', async () => {
      const at = world.clock.now()
      const credential = { kind: 'session' as const, tokenId: 'token', issuedAt: at, expiresAt: at }
      const token = { provider: 'mock-idp', subject: 'ada', credential }
      const fetched = await world.db.write(tx =>
        countRowsRead(tx, 'revoked_tokens', {
          query: () => checkStreamTokens(tx, token.provider, [token]),
          fill: () =>
            tx
              .insert(tx.tables.revokedTokens)
              .values(Array.from({ length: ROWS }, (_, n) => ({ id: `revoked-${n}`, expiresAt: at }))),
        }),
      )
      expect(fetched).toBeLessThanOrEqual(2)
    })
  },
  { worldPer: 'test' },
)
