/** Runs that verify only a part of the fans, or only what has changed since everything was verified. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asc } from 'drizzle-orm'
import fc from 'fast-check'
import { type Part, planCoverage } from '../../../src/audit/coverage/coverage.ts'
import { recordCoverage } from '../../../src/audit/coverage/record-coverage.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { joinLeaderboard } from '../../../src/economy/points/join-leaderboard.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { withoutRules } from '../../db/probe.ts'
import { archive, happen, restore } from '../../operate/admin/archive/archive-world.ts'
import { createClock, type TestClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'

const DAY = 86_400_000

describe.each(engines)('A verification of some fans ($name)', engine => {
  let temporary: TemporaryDatabase
  let clock: TestClock
  beforeEach(async () => {
    clock = createClock()
    clock.newId = () => Bun.randomUUIDv7('hex', clock.ms)
    temporary = await engine.open(clock)
  })
  afterEach(() => temporary.remove())

  async function addFan() {
    const id = clock.newId()
    const at = clock.now()
    await temporary.db.write(async tx => {
      const times = { createdAt: at, updatedAt: at }
      await tx.insert(tx.tables.users).values({ id, provider: 'p', subject: id, ...times })
      await joinLeaderboard(tx, id)
    })
    await earn(id, 10)
    return id
  }
  const earn = (userId: string, delta: number) =>
    temporary.db.write(tx => appendEntry(tx, { userId, delta, reason: 'activity', ref: clock.newId() }))

  /** A run, as the command does it. `stopAfter`: a signal stops it after so many fans. */
  async function run(options: { sinceLast?: boolean; part?: Part; stopAfter?: number } = {}) {
    const { db } = temporary
    const coverage = await planCoverage(db.read, 'verify-ledger', options)
    const found: string[] = []
    const { fans, entries } = await verifyLedger(db, {
      coverage,
      onFinding: ({ what }) => void found.push(what),
      onProgress(done) {
        if (done >= (options.stopAfter ?? Number.POSITIVE_INFINITY)) throw new Error('stopped')
      },
    })
    const isComplete = await db.write(tx => recordCoverage(tx, coverage, found.length))
    clock.advance(DAY)
    return { kind: coverage.kind, fans, entries, found, isComplete }
  }
  const runChanges = () => run({ sinceLast: true })
  const corrupt = (userId: string, seq: number) =>
    withoutRules(temporary, async execute => {
      await execute(
        `UPDATE points_entries SET delta = delta + 1 WHERE user_id = '${userId}' AND seq = ${seq}`,
      )
    })

  test('without a complete run before verifies everything', async () => {
    await addFan()
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ kind: 'full', fans: 1, entries: 1, isComplete: true })
  })

  test('reads no fan if nothing has changed since, and otherwise all of what has changed', async () => {
    const [ada] = [await addFan(), await addFan()]
    clock.advance(DAY)
    await run()
    for (let again = 0; again < 2; again++)
      expect(await runChanges()).toEqual({
        kind: 'changes',
        fans: 0,
        entries: 0,
        found: [],
        isComplete: false,
      })
    await earn(ada, 5)
    const bo = await addFan()
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ fans: 2, entries: 3, found: [] })
    await earn(bo, 5)
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ fans: 1, entries: 2, found: [] })
    expect(await runChanges()).toMatchObject({ fans: 0 })
  })

  test('reads what was written while the last run began', async () => {
    const ada = await addFan()
    clock.advance(DAY)
    const { db } = temporary
    const coverage = await planCoverage(db.read, 'verify-ledger', {})
    await verifyLedger(db, { coverage })
    await earn(ada, 5)
    await db.write(tx => recordCoverage(tx, coverage, 0))
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ kind: 'changes', fans: 1, entries: 2 })
  })

  test('after an archive or a restore verifies everything', async () => {
    const { db } = temporary
    const ada = await addFan()
    for (let n = 0; n < 2; n++) await happen(db, { userId: ada, type: 'test.visit' })
    clock.advance(70 * DAY)
    await happen(db, { userId: ada, type: 'test.visit' })
    await run()
    const folder = mkdtempSync(join(tmpdir(), 'archive-'))
    expect(await runChanges()).toMatchObject({ kind: 'changes' })
    expect(await archive(db, folder)).toBe(1)
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ kind: 'full', fans: 1, found: [] })
    expect(await runChanges()).toMatchObject({ kind: 'changes', fans: 0 })
    // A run that has begun before may have read the fan before.
    const begun = await planCoverage(db.read, 'verify-ledger', {})
    clock.advance(1)
    expect(await restore(db, folder, ada)).toMatchObject({ events: 2 })
    await db.write(tx => recordCoverage(tx, begun, 0))
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ kind: 'full', fans: 1, found: [] })
    expect(await runChanges()).toMatchObject({ kind: 'changes', fans: 0 })
  })

  test('after a verification by a clock that was ahead verifies everything', async () => {
    await addFan()
    clock.advance(2 * DAY)
    await run()
    clock.advance(-3 * DAY)
    expect(await runChanges()).toMatchObject({ kind: 'full', fans: 1 })
    expect(await runChanges()).toMatchObject({ kind: 'changes' })
  })

  test('finds a new entry that is wrong, again until it is mended, and an old one only in a full run', async () => {
    const [ada, bo] = [await addFan(), await addFan()]
    clock.advance(DAY)
    await run()
    await earn(ada, 5)
    clock.advance(DAY)
    await corrupt(ada, 2)
    await corrupt(bo, 1)
    for (let again = 0; again < 2; again++)
      expect(await runChanges()).toMatchObject({ fans: 1, found: ['points_entries.balance_after'] })
    await withoutRules(temporary, async execute => {
      await execute(`UPDATE points_entries SET delta = delta - 1 WHERE user_id = '${ada}' AND seq = 2`)
    })
    expect(await runChanges()).toMatchObject({ fans: 1, found: [] })
    expect(await runChanges()).toMatchObject({ kind: 'changes', fans: 0, found: [] })
    expect(await run()).toMatchObject({ found: ['points_entries.balance_after'], isComplete: false })
    // What a full run has found is not forgotten.
    expect(await runChanges()).toMatchObject({ kind: 'full', found: ['points_entries.balance_after'] })
  })

  test('that was stopped is not recorded', async () => {
    const ada = await addFan()
    clock.advance(DAY)
    await run()
    await earn(ada, 5)
    await expect(run({ sinceLast: true, stopAfter: 1 })).rejects.toThrow('stopped')
    expect(await runChanges()).toMatchObject({ kind: 'changes', fans: 1 })
    await expect(run({ part: { part: 1, of: 2 }, stopAfter: 0 })).rejects.toThrow('stopped')
    expect(await run({ part: { part: 2, of: 2 } })).toMatchObject({ isComplete: false })
  })

  test('includes fans who were merged or erased since', async () => {
    const [ada, bo, cy] = [await addFan(), await addFan(), await addFan()]
    await addFan()
    clock.advance(DAY)
    await run()
    await temporary.db.write(tx => mergeFans(tx, { from: ada, into: bo, mergedBy: 'Ana', reason: null }))
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ fans: 2, found: [] })
    await temporary.db.write(tx => eraseUser(tx, { id: cy }))
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ fans: 1, found: [] })
    // The records of a person are verified together.
    await earn(ada, 5)
    clock.advance(DAY)
    expect(await runChanges()).toMatchObject({ fans: 2 })
  })

  test('in parts is complete when each part has found nothing, and starts from the oldest one', async () => {
    const fans = []
    for (let n = 0; n < 5; n++) fans.push(await addFan())
    clock.advance(DAY)
    const part = (number: number) => run({ part: { part: number, of: 3 } })
    expect(await part(3)).toMatchObject({ kind: 'part', fans: 1, isComplete: false })
    // Also of a part that is verified already.
    await earn(fans[4] ?? '', 5)
    expect(await runChanges()).toMatchObject({ kind: 'full', fans: 5, isComplete: true })
    expect(await part(3)).toMatchObject({ fans: 1, entries: 2 })
    clock.advance(DAY)
    const added = await addFan()
    expect(await part(1)).toMatchObject({ fans: 2, isComplete: false })
    await corrupt(fans[2] ?? '', 1)
    expect(await part(2)).toMatchObject({
      fans: 2,
      found: ['points_entries.balance_after'],
      isComplete: false,
    })
    await withoutRules(temporary, async execute => {
      await execute('UPDATE points_entries SET delta = delta - 1 WHERE delta = 11')
    })
    expect(await part(2)).toMatchObject({ fans: 2, found: [], isComplete: true })
    expect(added > (fans[4] ?? '')).toBe(true)
    // Fans of the last part have changed since it was verified.
    expect(await runChanges()).toMatchObject({ kind: 'changes', fans: 1, entries: 1, found: [] })
  })

  test('in parts reads every fan and every row without a fan exactly once', async () => {
    const { db } = temporary
    const { users } = db.tables
    const ids = fc.uniqueArray(fc.stringMatching(/^[0-9a-fA-F~-]{1,6}$/), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(ids, ids, fc.integer({ min: 1, max: 9 }), async (known, later, of) => {
        const at = clock.now()
        const command = 'verify-quests'
        const add = async (list: string[]) => {
          const row = (id: string) => ({ id, provider: 'p', subject: id, createdAt: at, updatedAt: at })
          if (list.length > 0)
            await db.write(tx => tx.insert(users).values(list.map(row)).onConflictDoNothing())
        }
        await db.write(async tx => {
          await tx.delete(users)
          await tx.delete(tx.tables.verificationCoverage)
        })
        await add(known)
        const read: string[] = []
        const spans: (string | null)[][] = []
        for (let part = 1; part <= of; part++) {
          const coverage = await planCoverage(db.read, command, { part: { part, of } })
          for await (const { range, userIds } of coverage.ranges) {
            read.push(...userIds)
            if ('upTo' in range) spans.push([range.after, range.upTo])
          }
          const isComplete = await db.write(tx => recordCoverage(tx, coverage, 0))
          expect(isComplete).toBe(part === of)
          // Fans who come meanwhile move no fan to another part.
          if (part === 1) await add(later.filter(id => id > (known.toSorted().at(-1) ?? '')))
        }
        const rows = await db.read.select({ id: users.id }).from(users).orderBy(asc(users.id))
        const all = rows.map(({ id }) => id)
        expect(known.toSorted().filter(id => !all.includes(id))).toEqual([])
        if (of > 1) expect(read).toEqual(all)
        // Each span starts where the previous one ends.
        expect(spans[0]?.[0]).toBe(null)
        expect(spans.at(-1)?.[1]).toBe(null)
        for (const [n, [, upTo]] of spans.slice(0, -1).entries()) expect(spans[n + 1]?.[0]).toBe(upTo)
      }),
      { numRuns: 25 },
    )
  })

  test('of quests reads the same fans', async () => {
    const { db } = temporary
    const [ada] = [await addFan(), await addFan()]
    clock.advance(DAY)
    const verify = async (options: { sinceLast?: boolean; part?: Part }) => {
      const coverage = await planCoverage(db.read, 'verify-quests', options)
      const { fans, findings } = await verifyQuests(db, { coverage })
      const isComplete = await db.write(tx => recordCoverage(tx, coverage, findings))
      clock.advance(DAY)
      return { fans, isComplete }
    }
    expect(await verify({ sinceLast: true })).toEqual({ fans: 2, isComplete: true })
    expect(await verify({ sinceLast: true })).toEqual({ fans: 0, isComplete: false })
    await earn(ada, 5)
    expect(await verify({ sinceLast: true })).toEqual({ fans: 1, isComplete: false })
    expect(await verify({ part: { part: 1, of: 2 } })).toEqual({ fans: 1, isComplete: false })
    expect(await verify({ part: { part: 2, of: 2 } })).toEqual({ fans: 1, isComplete: true })
  })
})
