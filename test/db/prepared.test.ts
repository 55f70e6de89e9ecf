/** Prepared statements: typed values, one statement for each shape of the values, and every type of column. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { and, asc, eq, gte, inArray } from 'drizzle-orm'
import type { Reader, Transaction } from '../../db/index.ts'
import { prepared, preparedLast } from '../../db/prepared.ts'
import { createClock } from '../support/clock.ts'
import { everyEngine, type TemporaryDatabase } from '../support/engines.ts'

const selectRewards = prepared(
  (reader: Reader, { title, minPoints }: { title: string; minPoints: number }) => {
    const { rewards } = reader.tables
    return reader
      .select({ id: rewards.id })
      .from(rewards)
      .where(and(eq(rewards.title, title), gte(rewards.pointsRequired, minPoints)))
  },
)

const selectById = prepared((reader: Reader, id: string) => {
  const { rewards } = reader.tables
  return reader.select().from(rewards).where(eq(rewards.id, id))
})

const insertReward = prepared((tx: Transaction, reward: Transaction['tables']['rewards']['$inferInsert']) =>
  tx.insert(tx.tables.rewards).values(reward),
)

/** For `tsc`, which reports each `@ts-expect-error` whose line compiles. */
void [
  // @ts-expect-error a misspelt value
  (reader: Reader) => selectRewards(reader, { titel: 'Scarf', minPoints: 1 }),
  // @ts-expect-error a missing value
  (reader: Reader) => selectRewards(reader, { title: 'Scarf' }),
  // @ts-expect-error an extra value
  (reader: Reader) => selectRewards(reader, { title: 'Scarf', minPoints: 1, limit: 1 }),
  // @ts-expect-error a number for a text column
  (reader: Reader) => selectRewards(reader, { title: 7, minPoints: 1 }),
  // @ts-expect-error a missing single value
  (reader: Reader) => selectById(reader),
  // @ts-expect-error a write outside a unit of work
  (reader: Reader, reward: Transaction['tables']['rewards']['$inferInsert']) => insertReward(reader, reward),
  prepared((reader: Reader, title: number) =>
    // @ts-expect-error a number compared with a text column
    reader.select().from(reader.tables.rewards).where(eq(reader.tables.rewards.title, title)),
  ),
  prepared((tx: Transaction, title: number) =>
    // @ts-expect-error a number written into a text column
    tx.update(tx.tables.rewards).set({ title }),
  ),
]

const BASE = {
  description: 'A scarf.',
  itemType: 'physical',
  translations: null,
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
  updatedAt: new Date('2026-03-01T12:00:00.001Z'),
}
const SCARF = {
  ...BASE,
  id: 'scarf',
  title: 'Scarf',
  imageUrl: null,
  pointsRequired: 100,
  active: true,
  startsAt: new Date('2026-02-01T00:00:00.000Z'),
  endsAt: null,
  stockRemaining: 3,
  requiredHolding: null,
  sponsorId: null,
  requires: null,
}
const SHIRT = {
  ...BASE,
  id: 'shirt',
  title: 'Shirt',
  imageUrl: 'https://example.com/shirt.png',
  pointsRequired: 500,
  active: false,
  startsAt: null,
  endsAt: new Date('2026-12-31T23:59:59.999Z'),
  stockRemaining: null,
  requiredHolding: null,
  sponsorId: null,
  requires: null,
}

for (const engine of everyEngine) {
  describe(`prepared statements (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let read: Reader

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      read = temporary.db.read
      await temporary.db.write(async tx => {
        await insertReward(tx, SCARF)
        await insertReward(tx, SHIRT)
      })
    })
    afterAll(() => temporary.remove())

    /** The statements that `work` builds on the reader. */
    async function countBuilt(work: () => Promise<unknown>) {
      const built = spyOn(read.statements, 'set')
      try {
        await work()
        return built.mock.calls.length
      } finally {
        built.mockRestore()
      }
    }

    test('text, numbers, booleans, dates and nulls are written and read unchanged', async () => {
      expect(await selectById(read, 'scarf')).toEqual([SCARF])
      expect(await selectById(read, 'shirt')).toEqual([SHIRT])
    })

    test('dates and booleans are encoded where they are compared', async () => {
      const selectActive = prepared((reader: Reader, active: boolean, since: Date) => {
        const { rewards } = reader.tables
        return reader
          .select({ id: rewards.id })
          .from(rewards)
          .where(and(eq(rewards.active, active), gte(rewards.updatedAt, since)))
      })
      expect(await selectActive(read, true, SCARF.updatedAt)).toEqual([{ id: 'scarf' }])
      expect(await selectActive(read, true, new Date(SCARF.updatedAt.getTime() + 1))).toEqual([])
      expect(await selectActive(read, false, SCARF.updatedAt)).toEqual([{ id: 'shirt' }])
    })

    test('a statement is built once, and takes new values at each call', async () => {
      await selectRewards(read, { title: 'Scarf', minPoints: 1 })
      const built = await countBuilt(async () => {
        expect(await selectRewards(read, { title: 'Scarf', minPoints: 100 })).toEqual([{ id: 'scarf' }])
        expect(await selectRewards(read, { title: 'Scarf', minPoints: 101 })).toEqual([])
        expect(await selectRewards(read, { title: 'Shirt', minPoints: 1 })).toEqual([{ id: 'shirt' }])
      })
      expect(built).toBe(0)
    })

    test('a statement that was built on one connection runs on all others, with their rows', async () => {
      const selectTitles = prepared((reader: Reader, id: string) => {
        const { rewards } = reader.tables
        return reader.select({ title: rewards.title }).from(rewards).where(eq(rewards.id, id))
      })
      expect(await selectTitles(read, 'scarf')).toEqual([{ title: 'Scarf' }])
      const other = await engine.open(createClock())
      const { db } = other
      const built = spyOn(db.read, 'select')
      await db.write(async tx => {
        const within = spyOn(tx, 'select')
        await insertReward(tx, { ...SCARF, title: 'Their scarf' })
        expect(await selectTitles(tx, 'scarf')).toEqual([{ title: 'Their scarf' }])
        expect(within).not.toHaveBeenCalled()
      })
      expect(await selectTitles(db.read, 'scarf')).toEqual([{ title: 'Their scarf' }])
      expect(await db.snapshot(reader => selectTitles(reader, 'scarf'))).toEqual([{ title: 'Their scarf' }])
      expect(built).not.toHaveBeenCalled()
      await other.remove()
      expect(await selectTitles(read, 'scarf')).toEqual([{ title: 'Scarf' }])
    })

    test('the order of the values does not matter', async () => {
      await selectRewards(read, { title: 'Scarf', minPoints: 100 })
      expect(await selectRewards(read, { minPoints: 100, title: 'Scarf' })).toEqual([{ id: 'scarf' }])
    })

    test('a list has one statement for each length', async () => {
      const selectAmong = prepared((reader: Reader, ids: string[]) => {
        const { rewards } = reader.tables
        return reader
          .select({ id: rewards.id })
          .from(rewards)
          .where(inArray(rewards.id, ids))
          .orderBy(asc(rewards.id))
      })
      const built = await countBuilt(async () => {
        expect(await selectAmong(read, ['shirt'])).toEqual([{ id: 'shirt' }])
        expect(await selectAmong(read, ['scarf'])).toEqual([{ id: 'scarf' }])
        expect(await selectAmong(read, ['shirt', 'scarf'])).toEqual([{ id: 'scarf' }, { id: 'shirt' }])
        expect(await selectAmong(read, [])).toEqual([])
      })
      expect(built).toBe(3)
    })

    test('an undefined value stays undefined while the statement is built', async () => {
      const selectTitled = prepared((reader: Reader, { id, title }: { id: string; title?: string }) => {
        const { rewards } = reader.tables
        return reader
          .select({ id: rewards.id })
          .from(rewards)
          .where(and(eq(rewards.id, id), title === undefined ? undefined : eq(rewards.title, title)))
      })
      expect(await selectTitled(read, { id: 'scarf', title: 'Shirt' })).toEqual([])
      expect(await selectTitled(read, { id: 'scarf', title: undefined })).toEqual([{ id: 'scarf' }])
      expect(await selectTitled(read, { id: 'scarf' })).toEqual([{ id: 'scarf' }])
    })

    test('a list of rows is inserted by one statement', async () => {
      const insertTeams = prepared(
        (tx: Transaction, teams: Transaction['tables']['teams']['$inferInsert'][]) =>
          tx.insert(tx.tables.teams).values(teams).returning(),
      )
      const { createdAt, updatedAt } = BASE
      const teams = ['ajax', 'bodo'].map(id => ({
        id,
        name: `FC ${id}`,
        shortName: id,
        city: null,
        country: 'NO',
        primaryColor: null,
        secondaryColor: null,
        crestUrl: null,
        translations: null,
        active: true,
        createdAt,
        updatedAt,
      }))
      expect(await temporary.db.write(tx => insertTeams(tx, teams))).toEqual(teams)
    })

    test('a branch on a boolean or a null follows its value, whichever value was first', async () => {
      const selectBy = prepared(
        (reader: Reader, { active, title }: { active: boolean; title: string | null }) => {
          const { rewards } = reader.tables
          return reader
            .select({ id: rewards.id })
            .from(rewards)
            .where(
              and(
                active ? eq(rewards.active, true) : undefined,
                title === null ? undefined : eq(rewards.title, title),
              ),
            )
            .orderBy(asc(rewards.id))
        },
      )
      const found = async (active: boolean, title: string | null) =>
        (await selectBy(read, { active, title })).map(({ id }) => id)
      const cases = async () => [
        await found(true, 'Shirt'),
        await found(false, 'Shirt'),
        await found(true, null),
        await found(false, null),
      ]
      const expected = [[], ['shirt'], ['scarf'], ['scarf', 'shirt']]
      expect(await cases()).toEqual(expected)
      const built = await countBuilt(async () => void expect(await cases()).toEqual(expected))
      expect(built).toBe(0)
    })

    test('members whose names and values have the same letters make statements of their own', async () => {
      const selectBy = prepared((reader: Reader, by: { i?: boolean; d?: string; itd?: string }) => {
        const { rewards } = reader.tables
        const condition = by.itd === undefined ? eq(rewards.title, by.d ?? '') : eq(rewards.id, by.itd)
        return reader.select({ id: rewards.id }).from(rewards).where(condition)
      })
      expect(await selectBy(read, { i: true, d: 'Shirt' })).toEqual([{ id: 'shirt' }])
      expect(await selectBy(read, { itd: 'scarf' })).toEqual([{ id: 'scarf' }])
    })

    test('booleans and nulls are encoded in the SQL that a unit of work sends at its end', async () => {
      const change = preparedLast((tx, change: { id: string; active: boolean; endsAt: Date | null }) => {
        const { rewards } = tx.tables
        return tx.update(rewards).set(change).where(eq(rewards.id, change.id))
      })
      for (const [active, endsAt] of [
        [false, SHIRT.endsAt],
        [true, null],
      ] as const) {
        await temporary.db.write(async tx => {
          const write = async () => [change(tx, { id: 'scarf', active, endsAt })]
          tx.deferred({ order: 1, start: () => null, write })
        })
        expect(await selectById(read, 'scarf')).toMatchObject([{ active, endsAt }])
      }
    })

    test('a time or an id that is no value throws while the statement is built', async () => {
      const insertNow = prepared((tx: Transaction, id: string) =>
        tx.update(tx.tables.rewards).set({ endsAt: tx.now() }).where(eq(tx.tables.rewards.id, id)),
      )
      const selectNew = prepared((tx: Transaction) =>
        tx.select().from(tx.tables.rewards).where(eq(tx.tables.rewards.id, tx.newId())),
      )
      const message = 'takes times and ids as values'
      await expect(temporary.db.write(tx => insertNow(tx, 'scarf'))).rejects.toThrow(message)
      await expect(temporary.db.write(tx => selectNew(tx))).rejects.toThrow(message)
    })

    test('a calculation with a value throws while the statement is built', async () => {
      const selectAbove = prepared((reader: Reader, points: number) => {
        const { rewards } = reader.tables
        return reader
          .select({ id: rewards.id })
          .from(rewards)
          .where(gte(rewards.pointsRequired, points + 1))
      })
      expect(() => selectAbove(read, 1)).toThrow('has no value while the statement is built')
    })
  })
}
