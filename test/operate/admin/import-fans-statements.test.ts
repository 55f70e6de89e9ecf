/** The cost of an import of fans: statements per set, not per fan. */
import { expect, spyOn, test } from 'bun:test'
import type { Transaction } from '../../../db/index.ts'
import { importFans } from '../../../src/operate/admin/import/fans.ts'
import { countsAttempts } from '../../support/serializable.ts'
import { onEachEngine } from '../../support/world.ts'

/** Statements that are prepared, built, or run as text. */
async function countStatements(tx: Transaction, work: () => Promise<unknown>) {
  // Guarantee of the cast: SQLite's bulk writes use `$client.query`, those of PostgreSQL `execute`.
  const { $client } = tx as unknown as { $client?: { query?: () => unknown } }
  const spies = [
    spyOn(tx.statements, 'get'),
    ...(['select', 'selectDistinct', 'insert', 'update'] as const).map(name => spyOn(tx, name)),
    ...('execute' in tx ? [spyOn(tx as { execute(): unknown }, 'execute')] : []),
    ...($client?.query ? [spyOn($client as { query(): unknown }, 'query')] : []),
  ]
  try {
    await work()
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

onEachEngine('An import of fans', world => {
  const fansOf = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, nth) => ({
      provider: world.config.identity.name,
      subject: `${prefix}-${nth}`,
      profile: {
        displayName: `Fan ${nth}`,
        handle: `${prefix}_${nth}`,
        avatarUrl: 'https://example.com/a.png',
      },
      openingBalance: 10 + nth,
      onboardingCompletedAt: new Date('2025-08-15T18:30:00.000Z'),
      joinLeaderboard: true,
    }))
  const costOf = (prefix: string, count: number) =>
    world.db.write(tx => countStatements(tx, () => importFans(tx, fansOf(prefix, count))))

  test.skipIf(countsAttempts !== '')(
    `takes as many statements for 200 as for two${countsAttempts}`,
    async () => {
      // Prepared statements are built the first time.
      await costOf('first', 2)
      const two = await costOf('two', 2)
      expect(await costOf('many', 200)).toBe(two)
      expect(two).toBeLessThan(60)
      expect(await costOf('many', 200)).toBeLessThan(two)
    },
  )
})
