/** What a seed shows: a club in the middle of its season, on whatever day it is seeded. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../scripts/seed/calendar.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyProvenance } from '../../../src/audit/runs/verify-provenance.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { dayOf } from '../../../src/figures/days/count-day.ts'
import { verifyAudit } from '../../../src/identity/staff/audit/verify.ts'
import { readLiveFigures, readOverview } from '../../../src/operate/console/overview/read-overview.ts'
import { createClock, KICK_OFF } from '../../support/clock.ts'
import { dump } from '../../support/dump.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { options as sixtyFans } from './sixty-fans.ts'

const CROWD = 1_500
const options = { ...sixtyFans, seed: 1, fans: 300, crowd: CROWD, cashCurrencies: ['EUR'], exclusive: true }
/** A day of another season, at another time of the day. */
const LATER_MS = 203 * DAY_MS + 437 * MINUTE_MS

describe.each(engines)('A seeded club ($name)', engine => {
  const clock = createClock()
  let club: TemporaryDatabase
  let later: TemporaryDatabase
  const now = () => club.db.read.now().getTime()

  beforeAll(async () => {
    club = await engine.open(clock)
    await seedDatabase(club.db, options)
    const laterClock = createClock()
    laterClock.ms = KICK_OFF + LATER_MS
    later = await engine.open(laterClock)
    await seedDatabase(later.db, { ...options, crowd: 0 })
  })
  afterAll(async () => {
    await club.remove()
    await later.remove()
  })

  test('has the same times on another day, relative to it', async () => {
    const shapeOf = async ({ db: { read, tables } }: TemporaryDatabase) => {
      const at = read.now().getTime()
      const midnight = Date.parse(dayOf(read.now()))
      const matches = await read.select().from(tables.matches)
      const users = await read.select().from(tables.users)
      const orders = await read.select().from(tables.orders)
      return {
        matches: matches
          .filter(({ kickoffAt }) => Math.abs(kickoffAt.getTime() - at) > 6 * HOUR_MS)
          .map(({ id, status, kickoffAt }) => `${id} ${status} ${kickoffAt.getTime() - midnight}`)
          .toSorted(),
        fans: users
          .flatMap(({ provider, subject, createdAt }) =>
            provider === 'mock-idp' ? `${subject} ${createdAt.getTime() - at}` : [],
          )
          .toSorted(),
        orders: orders.map(({ status }) => status).toSorted(),
      }
    }
    const [shape, shapeLater] = [await shapeOf(club), await shapeOf(later)]
    expect(shapeLater.fans).toEqual(shape.fans)
    expect(shapeLater.matches).toEqual(shape.matches)
    expect(shape.matches).toHaveLength(60)
    expect(Math.abs(shapeLater.orders.length - shape.orders.length)).toBeLessThan(10)
  })

  test('had a match yesterday, has one now, and one tomorrow', async () => {
    for (const { db } of [club, later]) {
      const at = db.read.now().getTime()
      const matches = await db.read.select().from(db.tables.matches)
      const daysTo = (kickoffAt: Date) =>
        (Date.parse(dayOf(kickoffAt)) - Date.parse(dayOf(new Date(at)))) / DAY_MS
      const live = matches.filter(({ status }) => status === 'live')
      expect(live).toHaveLength(1)
      const minute = (at - (live[0]?.kickoffAt.getTime() ?? 0)) / MINUTE_MS
      expect(minute).toBeGreaterThanOrEqual(50)
      expect(minute).toBeLessThan(56)
      const finished = matches.filter(({ status }) => status === 'finished')
      expect(Math.max(...finished.map(({ kickoffAt }) => daysTo(kickoffAt)))).toBe(-1)
      const settlements = await db.read.select().from(db.tables.matchSettlements)
      expect(settlements).toHaveLength(finished.length)
      const coming = matches.filter(({ status }) => status === 'scheduled')
      expect(coming.every(({ kickoffAt }) => kickoffAt.getTime() > at)).toBe(true)
      expect(coming.filter(({ kickoffAt }) => daysTo(kickoffAt) === 1).length).toBeGreaterThan(0)
    }
  })

  test('has points on nearly every day of the last month, fresh reports, orders to pack, and nothing that has not happened', async () => {
    for (const { db } of [club, later]) {
      const { tables, read } = db
      const at = read.now().getTime()
      const entries = await read.select().from(tables.pointsEntries)
      const days = new Set(
        entries.flatMap(({ createdAt }) => (at - createdAt.getTime() < 30 * DAY_MS ? dayOf(createdAt) : [])),
      )
      expect(days.size).toBeGreaterThanOrEqual(25)
      expect(entries.filter(({ createdAt }) => createdAt.getTime() > at)).toEqual([])
      expect(entries.filter(({ reason }) => reason === 'activity')).toEqual([])
      const events = await read.select().from(tables.events)
      expect(events.filter(({ recordedAt }) => recordedAt.getTime() > at)).toEqual([])
      const reports = await read.select().from(tables.reports)
      expect(reports.length).toBeGreaterThan(1)
      expect(reports.filter(({ createdAt }) => at - createdAt.getTime() > DAY_MS)).toEqual([])
      const orders = new Map((await read.select().from(tables.orders)).map(order => [order.id, order]))
      const lines = await read.select().from(tables.orderLines)
      const toPack = lines.filter(
        ({ isSold, state, kind }) => isSold && kind === 'physical' && ['none', 'ready'].includes(state),
      )
      expect(toPack.length).toBeGreaterThan(2)
      const waits = toPack.map(({ orderId }) => at - (orders.get(orderId)?.completedAt?.getTime() ?? 0))
      expect(Math.max(...waits)).toBeLessThan(7 * DAY_MS)
    }
  })

  test('has the events and entries of each fan, and what staff did, in the order of time', async () => {
    for (const { db } of [club, later]) {
      const { tables, read } = db
      const { events, pointsEntries, cashEntries, consoleAudit: audit } = tables
      const lists = {
        events: (await read.select().from(events).orderBy(asc(events.userId), asc(events.sequence))).map(
          ({ userId, recordedAt, type }) => ({ of: userId, at: recordedAt, what: type }),
        ),
        points: (
          await read.select().from(pointsEntries).orderBy(asc(pointsEntries.userId), asc(pointsEntries.seq))
        ).map(({ userId, createdAt, reason }) => ({ of: userId, at: createdAt, what: reason })),
        cash: (
          await read
            .select()
            .from(cashEntries)
            .orderBy(asc(cashEntries.userId), asc(cashEntries.currency), asc(cashEntries.seq))
        ).map(({ userId, currency, createdAt, reason }) => ({
          of: `${userId} ${currency}`,
          at: createdAt,
          what: reason,
        })),
        audit: (await read.select().from(audit).orderBy(asc(audit.seq))).map(({ at, operation }) => ({
          of: 'staff',
          at,
          what: operation,
        })),
      }
      const early = Object.entries(lists).flatMap(([list, rows]) =>
        rows.flatMap((row, nth) => {
          const before = rows[nth - 1]
          return before && before.of === row.of && row.at < before.at
            ? [`${list}: ${row.what} before ${before.what}`]
            : []
        }),
      )
      expect(new Set(early)).toEqual(new Set())
    }
  })

  test('issues in the season the points of its days', async () => {
    const { tables, read } = club.db
    const counts = await read
      .select()
      .from(tables.seasonCounts)
      .where(eq(tables.seasonCounts.kind, 'points.in'))
    const issued = Map.groupBy(counts, ({ bucket }) => dayOf(new Date(bucket * DAY_MS)))
    for (const { day, pointsGranted } of (await read.select().from(tables.dailyFigures)).slice(-30)) {
      const sum = (issued.get(day) ?? []).reduce((all, { amount }) => all + amount, 0)
      expect([day, Math.abs(sum - pointsGranted) < 10]).toEqual([day, true])
    }
    const today = issued.get(dayOf(read.now())) ?? []
    expect(today.filter(({ stated }) => stated)).toEqual([])
  })

  test('has one currency', async () => {
    const { tables, read } = club.db
    const priced = [
      ...(await read.select().from(tables.products)),
      ...(await read.select().from(tables.packs)),
      ...(await read.select().from(tables.orders)),
    ]
    expect(new Set(priced.map(({ priceCurrency }) => priceCurrency))).toEqual(new Set(['EUR', 'POINTS']))
    expect((await dump(club.db, ['digest', 'content'])).filter(row => /£|GBP/.test(row))).toEqual([])
  })

  test('has figures of each day, and those of today move', async () => {
    const { read } = club.db
    const live = await readLiveFigures(read)
    expect(live.fans).toBe(CROWD + 210)
    expect(live.today.activeFans).toBeGreaterThan(20)
    expect(live.reports.count).toBe(2)
    expect(now() - Date.parse(live.backupAt ?? '')).toBeLessThan(DAY_MS)
    expect(live.verifications.every(({ finishedAt }) => now() - Date.parse(finishedAt ?? '') < DAY_MS)).toBe(
      true,
    )
    const { days, before } = await readOverview(read, live, 90)
    expect(days.filter(({ figures }) => (figures?.activeFans ?? 0) < 10)).toEqual([])
    expect(before).not.toBeNull()
    const created = (await read.select().from(club.db.tables.users)).map(({ createdAt }) => dayOf(createdAt))
    expect(days.map(({ figures }) => figures?.newFans)).toEqual(
      days.map(({ day }) => created.filter(other => other === day).length),
    )
  })

  test('passes all verifications', async () => {
    for (const { db } of [club, later]) {
      const findings: unknown[] = []
      const onFinding = (finding: unknown) => findings.push(finding)
      await verifyLedger(db, { onFinding })
      await verifyQuests(db, { onFinding })
      await verifyProvenance(db, { onFinding })
      expect(findings).toEqual([])
      expect(await verifyAudit(db.read)).toMatchObject({ findings: [] })
    }
  })

  test('is not changed by a seed of another day', async () => {
    const rows = await dump(club.db)
    const today = clock.ms
    clock.advance(3 * DAY_MS)
    const { fans, skipped } = await seedDatabase(club.db, options).finally(() => {
      clock.ms = today
    })
    expect({ fans, skipped: skipped.present }).toEqual({ fans: 0, skipped: 210 })
    expect(await dump(club.db)).toEqual(rows)
  })
})
