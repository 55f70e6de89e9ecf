/** The column kit: both dialects store the same values and return them unchanged. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { asc, eq, gt } from 'drizzle-orm'
import { postgres, postgresIn, sqlite } from '../../db/schema/columns.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'
import { testSchema } from '../support/patience.ts'
import { withRawConnection } from './probe.ts'

const defineSamples = (kit: typeof postgres) =>
  kit.table('samples', {
    id: kit.id().primaryKey(),
    text: kit.text(),
    integer: kit.integer(),
    boolean: kit.boolean(),
    timestamp: kit.timestamp(),
  })

const DDL = {
  sqlite:
    'CREATE TABLE samples (id text PRIMARY KEY, text text, integer integer, boolean integer, timestamp integer) STRICT',
  postgres:
    'CREATE TABLE samples (id text COLLATE "C" PRIMARY KEY, text text, integer bigint, boolean boolean, timestamp timestamp(3) with time zone)',
}

for (const engine of engines) {
  describe(`column kit (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let samples: ReturnType<typeof defineSamples>

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      samples = defineSamples(temporary.db.engine === 'sqlite' ? sqlite : postgresIn(testSchema))
      await withRawConnection(temporary, run => run(DDL[temporary.db.engine]))
    })
    afterAll(() => temporary.remove())

    type Sample = Partial<typeof samples.$inferInsert>
    let made = 0

    async function roundTrip(sample: Sample) {
      const id = `sample-${++made}`
      const { db } = temporary
      const [returned] = await db.write(tx =>
        tx
          .insert(samples)
          .values({ ...sample, id })
          .returning(),
      )
      const [read] = await db.read.select().from(samples).where(eq(samples.id, id))
      expect(read).toEqual(returned)
      if (!read) throw new Error('the sample is gone')
      return read
    }

    test('declares the column types that the migrations create', async () => {
      const types = (kit: typeof postgres) =>
        [kit.id(), kit.text(), kit.integer(), kit.boolean(), kit.timestamp()].map((_, at) => {
          const column = Object.values(defineSamples(kit))[at] as { getSQLType(): string }
          return column.getSQLType()
        })
      expect(types(sqlite)).toEqual(['text', 'text', 'integer', 'integer', 'integer'])
      expect(types(postgres)).toEqual([
        'text COLLATE "C"',
        'text',
        'bigint',
        'boolean',
        'timestamp (3) with time zone',
      ])
    })

    test('stores text of every script, quotes and line ends unchanged', async () => {
      for (const text of [
        '',
        'Łódź 🏟️ 浦和レッズ',
        `O'Neill "the wall" \\ % _ ; --`,
        'a\r\nb\tc',
        '\u{10ffff}',
      ]) {
        expect((await roundTrip({ text })).text).toBe(text)
      }
    })

    test('stores integers from -(2^53 - 1) to 2^53 - 1 exactly, as numbers', async () => {
      for (const integer of [
        0,
        1,
        -1,
        2 ** 31,
        2 ** 32 + 1,
        Number.MAX_SAFE_INTEGER,
        Number.MIN_SAFE_INTEGER,
      ]) {
        expect((await roundTrip({ integer })).integer).toBe(integer)
      }
    })

    test('returns booleans as booleans', async () => {
      for (const boolean of [true, false]) expect((await roundTrip({ boolean })).boolean).toBe(boolean)
    })

    test('stores instants with millisecond precision, also before 1970 and after 2038', async () => {
      for (const iso of [
        '2026-08-15T18:30:00.000Z',
        '2026-03-29T01:59:59.999Z',
        '1969-12-31T23:59:59.001Z',
        '2099-12-31T23:59:59.999Z',
      ]) {
        const { timestamp } = await roundTrip({ timestamp: new Date(iso) })
        expect(timestamp).toBeInstanceOf(Date)
        expect(timestamp?.toISOString()).toBe(iso)
      }
    })

    test('distinguishes null from empty, zero and false', async () => {
      const nothing = { text: null, integer: null, boolean: null, timestamp: null }
      expect(await roundTrip(nothing)).toMatchObject(nothing)
      expect(await roundTrip({})).toMatchObject(nothing)
    })

    test('orders and compares ids by bytes in every locale', async () => {
      const inOrder = ['z-10', 'z-9', 'z-A', 'z-B', 'z-_', 'z-a', 'z-b', 'z-ä', 'z-浦', 'z-🏟']
      const { db } = temporary
      await db.write(tx => tx.insert(samples).values(inOrder.toReversed().map(id => ({ id, text: 'order' }))))
      const ids = async (after: string) =>
        (await db.read.select().from(samples).where(gt(samples.id, after)).orderBy(asc(samples.id))).map(
          ({ id }) => id,
        )
      expect(await ids('z')).toEqual(inOrder)
      expect(await ids('z-B')).toEqual(inOrder.slice(4))
    })

    test('orders and compares instants and integers by value', async () => {
      const { db } = temporary
      const at = [1_000, 20_000, 3_000_000].map(ms => new Date(ms))
      await db.write(tx =>
        tx
          .insert(samples)
          .values(
            at
              .toReversed()
              .map((timestamp, n) => ({ id: `t-${n}`, text: 'time', integer: 10 ** n, timestamp })),
          ),
      )
      const rows = await db.read
        .select()
        .from(samples)
        .where(eq(samples.text, 'time'))
        .orderBy(asc(samples.timestamp))
      expect(rows.map(({ timestamp }) => timestamp)).toEqual(at)
      const later = await db.read.select().from(samples).where(gt(samples.integer, 9))
      expect(later.filter(({ text }) => text === 'time')).toHaveLength(2)
    })
  })
}
