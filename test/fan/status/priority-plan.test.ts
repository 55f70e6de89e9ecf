/** The list of fans reads ranges of indexes, whatever the number of fans. */
import { Database as Connection, type SQLQueryBindings } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { and, eq, lt, type SQL, sql } from 'drizzle-orm'
import { getAccountSet } from '../../../src/economy/accounts/account-set.ts'
import { readPlaces } from '../../../src/economy/accounts/order.ts'
import { hasMembership } from '../../../src/play/memberships/memberships.ts'
import { rowsRead } from '../../db/plans.ts'
import { execute } from '../../db/probe.ts'
import { addAccount } from '../../economy/accounts/accounts-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer, type World } from '../../support/world.ts'

const FANS = 3_000
const LIMIT = 10

/** Fans with a total of 1 to FANS, whose rows are up to date. */
async function fill(world: World, accountId: string) {
  await world.db.write(async tx => {
    const [at, window] = [tx.now(), { windowFrom: null, basis: 'all:0' }]
    const ids = Array.from({ length: FANS }, (_, n) => `fan-${n}`)
    const { users, fanAccounts } = tx.tables
    for (let first = 0; first < FANS; first += 500) {
      const part = ids.slice(first, first + 500)
      await tx
        .insert(users)
        .values(part.map(id => ({ id, provider: 'p', subject: id, createdAt: at, updatedAt: at })))
      await tx.insert(fanAccounts).values(
        part.map((userId, n) => ({
          ...{
            userId,
            accountId,
            balance: first + n + 1,
            seq: 1,
            headHash: '',
            minusTotal: -(first + n + 1),
          },
          ...{ reachedAt: at, updatedAt: at, ...window },
        })),
      )
    }
  })
}

async function setUp(world: World) {
  const accountId = await addAccount(world, { window: null })
  await fill(world, accountId)
  const set = await getAccountSet(world.db.read)
  const account = set.accounts.get(accountId)
  if (!account) throw new Error('there is no account')
  return { account, set, asOf: world.clock.now(), least: 1, isShown: () => undefined }
}

onServer('The list of fans by their total', world => {
  test('reads few of many rows', async () => {
    const order = await setUp(world)
    const read = await world.db.write(async tx => {
      await execute(tx, 'ANALYZE fan_accounts')
      const before = await rowsRead(tx, 'fan_accounts')
      const places = await readPlaces(tx, order, { after: undefined, limit: LIMIT })
      expect(places.map(({ total }) => total)).toEqual(Array.from({ length: LIMIT }, (_, n) => FANS - n))
      const next = await readPlaces(tx, order, { after: places.at(-1), limit: LIMIT })
      expect(next[0]?.total).toBe(FANS - LIMIT)
      return (await rowsRead(tx, 'fan_accounts')) - before
    })
    expect(read).toBeGreaterThanOrEqual(2 * LIMIT)
    // Index entries count as rows.
    expect(read).toBeLessThanOrEqual(6 * LIMIT)
  })
})

onEngine(sqliteEngine, 'The list of fans with a membership', world => {
  test('looks up the membership of each fan it passes, instead of reading all', async () => {
    const order = await setUp(world)
    const at = world.clock.now()
    await world.db.write(async tx => {
      const kind = { id: 'season-ticket', name: 'Season ticket', benefits: '[]', active: true }
      await tx.insert(tx.tables.memberships).values({ ...kind, createdAt: at, updatedAt: at })
      const period = { startsAt: new Date(0), endsAt: new Date(at.getTime() + 1), begun: true, nextAt: at }
      const row = { kindId: kind.id, createdAt: at, updatedAt: at, ...period }
      for (let first = 0; first < FANS; first += 500)
        await tx.insert(tx.tables.fanMemberships).values(
          Array.from({ length: 500 }, (_, n) => ({
            ...row,
            ref: `ref-${first + n}`,
            userId: `fan-${first + n}`,
          })),
        )
    })
    const { fanAccounts: rows } = world.db.tables
    const isShown = (userId: SQL) =>
      hasMembership(world.db.read, userId, { kindId: 'season-ticket', asOf: at })
    const read = { ...order, isShown }
    const places = await readPlaces(world.db.read, read, { after: undefined, limit: LIMIT })
    expect(places.map(({ total }) => total)).toEqual(Array.from({ length: LIMIT }, (_, n) => FANS - n))
    const page = world.db.read
      .select({ userId: rows.userId })
      .from(rows)
      .where(and(eq(rows.accountId, order.account.id), lt(rows.minusTotal, 0), isShown(sql`${rows.userId}`)))
      .orderBy(rows.minusTotal)
      .limit(LIMIT)
    const { sql: text, params } = page.toSQL()
    using connection = new Connection((world.databaseUrl ?? '').slice('sqlite:'.length), { readonly: true })
    const steps = connection
      .query<{ detail: string }, SQLQueryBindings[]>(`EXPLAIN QUERY PLAN ${text}`)
      // Guarantee of the cast: what Drizzle binds on SQLite.
      .all(...(params as SQLQueryBindings[]))
      .map(({ detail }) => detail)
    // As `SEARCH fan_memberships EXISTS` it is a part of the join, which may read all of them first.
    expect(steps).toContainEqual(expect.stringMatching(/^SEARCH fan_memberships USING INDEX/))
  })
})
