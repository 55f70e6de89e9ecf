/** The bulk rows of the bench keep the invariants of the verbs. */
import { expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { CLAIMED, POINTS, REWARDS } from '../../scripts/bench/catalogue.ts'
import { fillDatabase, subjectOf, subjectsOf } from '../../scripts/bench/data.ts'
import { distinctRequests } from '../../scripts/bench/plan.ts'
import { GENESIS_HASH, hashEntry } from '../../src/economy/ledgers/chain.ts'
import { indexSearchKeys } from '../../src/identity/users/search-keys.ts'
import { findUser } from '../../src/identity/users/users.ts'
import { createResponseCache } from '../../src/platform/cache/response-cache.ts'
import { renderRewards } from '../../src/play/rewards/list.ts'
import type { Rewards } from '../../src/play/rewards/schema.ts'
import { createClock } from '../support/clock.ts'
import { engines } from '../support/engines.ts'

const FANS = 40

for (const engine of engines) {
  test(`a filled database has consistent ledgers with hash chains, claimable rewards, and search keys (${engine.name})`, async () => {
    const { db, url, remove } = await engine.open(createClock())
    try {
      await fillDatabase(url ?? '', FANS)
      // Else the server fills in the keys while it is measured.
      expect(await indexSearchKeys({ db })).toBe(0)
      const { pointsAccounts, pointsEntries, users } = db.tables
      expect(await db.read.select().from(users)).toHaveLength(FANS)
      const accounts = await db.read.select().from(pointsAccounts)
      expect(accounts).toHaveLength(FANS)
      for (const account of accounts) {
        const entries = await db.read
          .select()
          .from(pointsEntries)
          .where(eq(pointsEntries.userId, account.userId))
          .orderBy(asc(pointsEntries.seq))
        let [hash, balance] = [GENESIS_HASH, 0]
        for (const [at, entry] of entries.entries()) {
          hash = hashEntry(hash, entry)
          balance += entry.delta
          expect(entry).toMatchObject({ seq: at + 1, hash, balanceAfter: balance })
        }
        expect(account).toMatchObject({ balance, lifetime: balance, seq: entries.length, headHash: hash })
        expect(balance).toBeGreaterThanOrEqual(POINTS)
      }

      const caller = { provider: 'bench', subject: subjectOf(FANS - 1) }
      const user = await findUser(db.read, caller)
      expect(user).toMatchObject({ handle: `fan_${FANS - 1}` })
      const cache = createResponseCache({
        elapsed: () => 0,
        now: db.read.now,
        externalCommits: () => null,
      })
      const list = await renderRewards({ read: db.read, cache }, user?.id ?? '')
      const { rewards }: typeof Rewards.static = JSON.parse(list())
      expect(rewards).toHaveLength(REWARDS)
      expect(rewards.filter(({ claimable }) => claimable)).toHaveLength(REWARDS - CLAIMED)
    } finally {
      await remove()
    }
  })
}

test('callers are spread over all fans, and distinctRequests counts the pairs of a plan', () => {
  expect(subjectsOf(1_000, 4)).toEqual([0, 250, 500, 750].map(subjectOf))
  expect(subjectsOf(3, 4)).toHaveLength(3)
  const plan = (tokens: number, requests: number) => ({
    tokens: Array.from({ length: tokens }, String),
    requests: Array.from({ length: requests }, () => ({ method: 'GET' as const, path: '/' })),
  })
  expect(distinctRequests(plan(20_000, 17))).toBe(340_000)
  expect(distinctRequests(plan(20_000, 340))).toBe(340_000)
  expect(distinctRequests(plan(0, 1))).toBe(1)
})
