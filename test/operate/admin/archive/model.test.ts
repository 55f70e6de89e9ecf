/** Random seasons: whatever happened, an archive changes no balance, rank, limit or finding, and a restore brings every row back. */
import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expireBatch } from '../../../../src/economy/expiry/expire-points.ts'
import { readNextExpiry } from '../../../../src/economy/points/expiry.ts'
import { joinLeaderboard } from '../../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../../src/fan/account/erase-user.ts'
import { ensureUser } from '../../../../src/identity/users/callers.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { addRule, unique } from '../../../economy/rules/rules-world.ts'
import { createClock } from '../../../support/clock.ts'
import { type Engine, engines } from '../../../support/engines.ts'
import {
  archive,
  DAY,
  figuresOf,
  findingsOf,
  happen,
  restore,
  rowsOf,
  takeBack,
  walk,
} from './archive-world.ts'

const EXPIRE_DAYS = 150
const FANS = 4
const fan = fc.nat(FANS - 1)
const of = <Kind extends string>(kind: Kind) =>
  fc.record({ kind: fc.constant(kind), fan, points: fc.integer({ min: 1, max: 40 }) })
const action = fc.oneof(
  { weight: 6, arbitrary: of('earn') },
  { weight: 4, arbitrary: of('earn_limited') },
  { weight: 2, arbitrary: of('unpaid') },
  { weight: 3, arbitrary: of('void') },
  { weight: 2, arbitrary: of('spend') },
  { weight: 2, arbitrary: of('grant') },
  { weight: 1, arbitrary: of('join') },
  { weight: 1, arbitrary: of('expire') },
  { weight: 4, arbitrary: of('wait') },
)
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never
const season = fc.record({
  first: fc.array(action, { minLength: 10, maxLength: 40 }),
  second: fc.array(action, { maxLength: 20 }),
  late: fc.array(action, { maxLength: 8 }),
  merges: fc.boolean(),
  erases: fc.boolean(),
  expires: fc.boolean(),
})
type Season = typeof season extends fc.Arbitrary<infer Value> ? Value : never

for (const engine of engines)
  test(`Any season is archived and restored without a trace (${engine.name})`, async () => {
    await fc.assert(
      fc.asyncProperty(season, drawn => run(engine, drawn)),
      { numRuns: engine.name === 'SQLite' ? 12 : 4, endOnFailure: true },
    )
  })

async function run(engine: Engine, { first, second, late, merges, erases, expires }: Season): Promise<void> {
  const clock = createClock()
  const temporary = await engine.open(clock)
  const { db } = temporary
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  try {
    const limited = await addRule(temporary, { limit: { count: 2, per: 'week' }, budget: 150 })
    const free = await addRule(temporary, { points: { per: '/points', every: 1, points: 1 } })
    const ids: string[] = []
    for (let n = 0; n < FANS; n++)
      ids.push((await db.write(tx => ensureUser(tx, { provider: 'test', subject: unique('fan') }))).user.id)
    const known: string[] = []

    const steps: Record<Action['kind'], (userId: string, points: number) => Promise<unknown>> = {
      earn: async (userId, points) =>
        known.push(await happen(db, { userId, type: free.eventType, data: { points } })),
      earn_limited: async userId => known.push(await happen(db, { userId, type: limited.eventType })),
      unpaid: async userId => known.push(await happen(db, { userId, type: 'test.unpaid' })),
      void: async (_, points) => {
        const id = known[known.length - 1 - (points % 8)]
        if (id !== undefined) await takeBack(db, id).catch(refusedAsArchived)
      },
      spend: (userId, points) => book(userId, -points, 'pack_purchase'),
      grant: (userId, points) => book(userId, points, 'activity'),
      join: userId => db.write(tx => joinLeaderboard(tx, userId)),
      expire: async () => {
        if (expires) while (await db.write(tx => expireBatch(tx, EXPIRE_DAYS))) {}
      },
      wait: async (_, points) => clock.advance(points * DAY),
    }
    const book = (userId: string, delta: number, reason: 'pack_purchase' | 'activity') =>
      db.write(tx => appendEntry(tx, { userId, delta, reason, ref: unique('ref') }))
    const refusedAsArchived = (error: unknown) => expect(error).toMatchObject({ code: 'event_archived' })
    const live = async (actions: Action[]) => {
      for (const { kind, fan, points } of actions) await steps[kind](ids[fan] ?? '', points)
    }

    await live(first)
    if (merges)
      await db.write(tx =>
        mergeFans(tx, { from: ids[0] ?? '', into: ids[1] ?? '', mergedBy: 'Ana', reason: null }),
      )
    if (erases) await db.write(tx => eraseUser(tx, { id: ids[2] ?? '' }))
    if (merges) ids[0] = ids[1] ?? ''
    if (erases) ids[2] = ids[3] ?? ''
    clock.advance(100 * DAY)
    const before = await rowsOf(db)
    const expiry = async () =>
      expires ? Promise.all(ids.map(userId => readNextExpiry(db.read, userId, EXPIRE_DAYS))) : []
    const [figures, expiring] = [await figuresOf(db), await expiry()]
    const sealed = await archive(db, folder)
    expect(await figuresOf(db)).toEqual(figures)
    expect(await expiry()).toEqual(expiring)
    expect(await findingsOf(db)).toEqual([])
    expect(await walk(db, folder)).toMatchObject({ findings: [], fans: sealed })
    // A second run changes nothing.
    expect(await archive(db, folder)).toBe(0)
    expect((await rowsOf(db)).events.length).toBeLessThanOrEqual(before.events.length)

    await live(second)
    clock.advance(100 * DAY)
    await archive(db, folder)
    expect(await findingsOf(db)).toEqual([])
    expect(await walk(db, folder)).toMatchObject({ findings: [] })
    await live(late)
    const kept = await figuresOf(db)
    for (const userId of new Set(ids)) await restore(db, folder, userId)
    expect(await figuresOf(db)).toEqual(kept)
    expect(await findingsOf(db)).toEqual([])
    const after = await rowsOf(db)
    const isOld = new Set(before.entries.map(({ id }) => id))
    expect(after.entries.filter(({ id }) => isOld.has(id))).toEqual(before.entries)
    const seams = await db.read.select().from(db.tables.archiveSeams)
    expect([seams, await db.read.select().from(db.tables.archivedEvents)]).toEqual([[], []])
  } finally {
    await temporary.remove()
  }
}
