/** The table of a fan reads the ledgers of its members, for any number of fans. */
import { beforeAll, expect, test } from 'bun:test'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { readTables } from '../../../src/play/divisions/counting.ts'
import { divisionKind } from '../../../src/play/divisions/division-kind.ts'
import { readDivision } from '../../../src/play/divisions/read-division.ts'
import { countComparedPairs, countRowsRead } from '../../db/plans.ts'
import { tablesScanned } from '../../db/sqlite-plan.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine, onServer } from '../../support/world.ts'
import { WEEK, WEEKLY } from './divisions-world.ts'

const FANS = 1_000
const SIZE = 20
/** Before the period, and in it. */
const ENTRIES = 10
const ids = Array.from({ length: FANS }, (_, n) => `fan-${String(n).padStart(4, '0')}`)
const read = (reader: Reader) => readDivision(reader, { userId: 'fan-0000' })

async function addTables(tx: Transaction): Promise<void> {
  const { users, divisionPeriods, divisionMembers } = tx.tables
  await divisionKind.upsert(tx, { ...WEEKLY, size: SIZE })
  const at = tx.now()
  const fan = { provider: 'test', createdAt: at, updatedAt: at }
  await insertRows(
    tx,
    users,
    ids.map(id => ({ ...fan, id, subject: id })),
  )
  const period = { divisionId: WEEKLY.id, startsAt: at, endsAt: new Date(at.getTime() + WEEK) }
  const levels = JSON.stringify([{ id: 'bronze', up: 1, down: 0 }])
  await tx.insert(divisionPeriods).values({ ...period, scoring: 'points', size: SIZE, levels })
  const member = {
    divisionId: WEEKLY.id,
    startsAt: at,
    level: 0,
    afterSeq: ENTRIES,
    since: at,
    untold: false,
  }
  await insertRows(
    tx,
    divisionMembers,
    ids.map((userId, n) => ({ ...member, userId, number: Math.floor(n / SIZE) + 1, seat: (n % SIZE) + 1 })),
  )
}

onEngine(sqliteEngine, 'On SQLite', world => {
  beforeAll(() => world.db.write(addTables))

  test('the table of a division scans no table but the catalogue', async () => {
    const scanned = await tablesScanned(world.db, world.databaseUrl, () => read(world.db.read))
    expect(scanned.filter(name => name !== 'divisions')).toEqual([])
  })
})

onServer('On PostgreSQL', world => {
  beforeAll(() => world.db.write(addTables))

  test('the table of a division looks up the entries of the period', async () => {
    const found = await world.db.write(tx =>
      countRowsRead(tx, 'points_entries', {
        query: () => read(tx),
        fill: () => {
          const entry = { delta: 1, balanceAfter: 1, reason: 'activity', createdAt: tx.now(), hash: '' }
          const seqs = Array.from({ length: 2 * ENTRIES }, (_, n) => n + 1)
          const rows = ids.flatMap(userId =>
            seqs.map(seq => ({ ...entry, id: `${userId}-${seq}`, userId, seq, ref: String(seq) })),
          )
          return insertRows(tx, tx.tables.pointsEntries, rows)
        },
      }),
    )
    // Once each: an index entry and a row.
    expect(found).toBeGreaterThanOrEqual(SIZE * ENTRIES)
    expect(found).toBeLessThanOrEqual(2 * SIZE * ENTRIES)
  })
  test('tables that are closed together compare no member with each other one', async () => {
    const startsAt = world.clock.now()
    const period = { divisionId: WEEKLY.id, startsAt, endsAt: new Date(world.clock.ms + WEEK) }
    const rules = { scoring: 'points' as const, size: SIZE, levels: [], closedAt: null }
    const compared = await world.db.write(async tx => {
      const entry = {
        seq: ENTRIES + 1,
        delta: 1,
        balanceAfter: 1,
        reason: 'activity',
        ref: '',
        createdAt: startsAt,
        hash: '',
      }
      await insertRows(
        tx,
        tx.tables.pointsEntries,
        ids.map(userId => ({ ...entry, id: userId, userId })),
      )
      const all = { level: 0, first: 1, last: FANS / SIZE }
      return countComparedPairs(tx, () => readTables(tx, { ...period, ...rules }, all))
    })
    expect(compared).toBeLessThanOrEqual(FANS)
  })
})
