/** Locks of rows that another unit of work moves meanwhile: PostgreSQL forgets those of `locksShared`. */
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/index.ts'
import { lockToPredict } from '../../src/club/matches/matches.ts'
import { lockMatch } from '../../src/club/matches/revise.ts'
import { NOBODY } from '../../src/core/caller.ts'
import { lockCaller } from '../../src/identity/users/callers.ts'
import { updateUser } from '../../src/identity/users/change-user.ts'
import { lockForSanction } from '../../src/identity/users/sanction-state.ts'
import { lockProduct, lockStock } from '../../src/play/shop/stock.ts'
import { createClock } from '../support/clock.ts'
import { noServer, postgresEngine } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { execute, withRawConnection } from './probe.ts'

const clock = createClock()
const [USER, MATCH, PRODUCT] = ['01912f4e-7c55-7d0a-9a3e-000000000001', 'derby', 'shirt']
const caller = { provider: 'mock-idp', subject: 'fan', userId: USER }

/** Too large for a page of the table: PostgreSQL writes it elsewhere, and lets go of the row's page while it does. */
const wide = () => randomBytes(6_000).toString('base64')

interface Case {
  name: string
  table: string
  /** Takes the lock that `exclude` must wait for. */
  share(tx: Transaction): Promise<unknown>
  /** What moves the row. */
  move(tx: Transaction): Promise<unknown>
  /** Waits for `share`. */
  exclude(tx: Transaction): Promise<unknown>
}

const CASES: Case[] = [
  {
    name: 'a write of a fan and a sanction',
    table: 'users',
    share: tx => lockCaller(tx, caller),
    move: tx => updateUser(tx, USER, { avatarUrl: wide() }),
    exclude: tx => lockForSanction(tx, USER),
  },
  {
    name: 'a prediction and the close of a match',
    table: 'matches',
    share: tx => lockToPredict(tx, MATCH, clock.now()),
    async move(tx) {
      const { matches } = tx.tables
      await lockMatch(tx, MATCH)
      await tx.update(matches).set({ venue: wide() }).where(eq(matches.id, MATCH))
    },
    exclude: tx => lockMatch(tx, MATCH),
  },
  {
    name: 'a checkout and an import of products',
    table: 'product_variants',
    share: tx => lockStock(tx, [{ productId: PRODUCT, variantId: 'one' }]),
    // Sales change the row as well, without a lock against each other.
    move: async tx => tx.update(tx.tables.productVariants).set({ name: wide() }),
    exclude: tx => lockProduct(tx, PRODUCT),
  },
]

describe.skipIf(noServer !== '')(`Locks of rows that are moved (PostgreSQL)${noServer}`, () => {
  test.each(CASES.map(one => [one.name, one] as const))(
    '%s',
    async (_name, { table, share, move, exclude }) => {
      const temporary = await postgresEngine.open(clock)
      const { db } = temporary
      await addRows(db)
      const index = await toastIndexOf(db, table)
      const order: string[] = []
      await withRawConnection(temporary, async run => {
        // A write of a large value waits for it.
        await run('BEGIN')
        await run(`REINDEX INDEX ${index}`)
        const moved = db.write(move)
        await waitUntil('the row is being moved', async () => (await countWaiting(db)) === 1)
        const taken = Promise.withResolvers<void>()
        const ends = Promise.withResolvers<void>()
        let isTaken = false
        const shared = db.write(async tx => {
          await share(tx)
          isTaken = true
          taken.resolve()
          await ends.promise
          order.push('shared')
        })
        await waitUntil(
          'the lock is taken or waited for',
          async () => isTaken || (await countWaiting(db)) === 2,
        )
        await run('COMMIT')
        await moved
        await taken.promise
        let isExcluded = false
        const excluded = db.write(async tx => {
          await exclude(tx)
          isExcluded = true
          order.push('excluded')
        })
        await waitUntil('the other one waits', async () => isExcluded || (await countWaiting(db)) === 1)
        ends.resolve()
        await Promise.all([shared, excluded])
      })
      expect(order).toEqual(['shared', 'excluded'])
      await temporary.remove()
    },
  )

  // They share nothing before they change it: each of them would wait for the others.
  test.each([{ toChange: true }, { toCount: true }])('first writes of a fan at once, %o', async locking => {
    const temporary = await postgresEngine.open(clock)
    const { db } = temporary
    await addRows(db)
    const order: string[] = []
    const ends = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const lockFirst = (tx: Transaction) => lockCaller(tx, { ...caller, userId: NOBODY }, locking)
    const first = db.write(async tx => {
      await lockFirst(tx)
      locked.resolve()
      await ends.promise
      order.push('first')
    })
    await locked.promise
    let isLocked = false
    const second = db.write(async tx => {
      await lockFirst(tx)
      isLocked = true
      order.push('second')
    })
    await waitUntil('the other one waits', async () => isLocked || (await countWaiting(db)) === 1)
    ends.resolve()
    await Promise.all([first, second])
    expect(order).toEqual(['first', 'second'])
    await temporary.remove()
  })
})

async function addRows(db: Database) {
  const at = clock.now()
  const stamps = { createdAt: at, updatedAt: at }
  await db.write(async tx => {
    const { users, teams, matches, products, productVariants } = tx.tables
    await tx.insert(users).values({ id: USER, provider: 'mock-idp', subject: 'fan', ...stamps })
    const team = { shortName: 'TST', active: true, ...stamps }
    await tx.insert(teams).values(['home', 'away'].map(id => ({ ...team, id, name: id })))
    const kickoffAt = new Date(at.getTime() + 3_600_000)
    const match = { competition: 'Cup', season: '2026', homeTeamId: 'home', awayTeamId: 'away', active: true }
    await tx
      .insert(matches)
      .values({ ...match, ...stamps, id: MATCH, status: 'scheduled', kickoffAt, revision: 1 })
    await tx.insert(products).values({
      ...stamps,
      id: PRODUCT,
      name: 'Shirt',
      description: '',
      category: 'kit',
      kind: 'physical',
      priceAmount: 100,
      priceCurrency: 'POINTS',
      images: '[]',
      active: true,
    })
    await tx
      .insert(productVariants)
      .values({ productId: PRODUCT, id: 'one', name: 'One', position: 0, listed: true, stockSold: 0 })
  })
}

async function toastIndexOf(db: Database, table: string): Promise<string> {
  const [row] = await execute(
    db.read,
    `select i.indexrelid::regclass::text as name from pg_class c join pg_index i on i.indrelid = c.reltoastrelid where c.oid = '${table}'::regclass`,
  )
  return String(row?.name)
}

async function countWaiting(db: Database): Promise<number> {
  const [row] = await execute(
    db.read,
    'select count(distinct pid) as waiting from pg_locks l join pg_stat_activity a using (pid) where not granted and a.datname = current_database()',
  )
  return Number(row?.waiting)
}
