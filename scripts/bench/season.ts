/** Records earning events of fans as a club's systems report them, through the verbs, with the rules and quests of the seed. */
import { like, or } from 'drizzle-orm'
import { openDatabase } from '../../db/index.ts'
import { createSpine } from '../../src/app/spine.ts'
import { realSources } from '../../src/core/sources.ts'
import { writeEvents } from '../../src/economy/events/record-event.ts'
import { GROUPS } from '../../src/economy/leaderboard/boards.ts'
import { sweepCounts } from '../../src/play/quests/sweep-counts.ts'
import { seedCatalogue } from '../seed/seed-catalogue.ts'

const DAY_MS = 86_400_000
/** A Monday. */
const FIRST_DAY_MS = Date.parse('2026-01-05T12:00:00.000Z')
/** For which the catalogue is seeded: its quests start 90 days before. */
const CATALOGUE_AT = new Date(FIRST_DAY_MS + 89 * DAY_MS)
/** A season of the catalogue that starts after the last event. */
export const ARCHIVED_BEFORE = '2026-27'
/** Between two events of a fan. */
const DAYS_APART = 10
const PER_UNIT_OF_WORK = 250

const SOURCE = 'shop'

/** Adds the catalogue of the seed. */
export async function prepareSeason(url: string): Promise<void> {
  const db = openDatabase(url, realSources, { spine: createSpine() })
  await db.write(async tx => {
    await seedCatalogue(tx, { outcome: 3, difference: 2, exact: 5 }, CATALOGUE_AT)
    // The database was filled now, and the season is in the past.
    await tx.update(tx.tables.catalogueVersions).set({ foldsFrom: new Date(FIRST_DAY_MS) })
    // Nor were its days counted, and the scores of teams and countries copied.
    const { seasonSweep, maintenanceRuns, leaderboardScores: scores } = tx.tables
    await tx.delete(seasonSweep)
    await tx.delete(maintenanceRuns)
    await tx.delete(scores).where(or(...GROUPS.map(group => like(scores.board, `${group}:%`))))
  })
  await db.close()
}

/**
 * `days` purchases of each fan in the club's shop, each of which earns points and counts for two quests. Yields after each day how many were
 * recorded, and runs the sweep that a server runs daily.
 */
export async function* recordSeason(url: string, days: number): AsyncGenerator<number> {
  const shop = openShop(url)
  try {
    const { users } = shop.db.tables
    const fans = (await shop.db.read.select({ id: users.id }).from(users)).map(({ id }) => id)
    for (let day = 0; day < days; day++) {
      // Fans come in no order, another one each day.
      const order = fans.toSorted((a, b) =>
        Number(Bun.hash.wyhash(a, BigInt(day)) - Bun.hash.wyhash(b, BigInt(day))),
      )
      await shop.sellTo(order, FIRST_DAY_MS + day * DAYS_APART * DAY_MS)
      await sweepCounts(shop.db)
      yield order.length
    }
  } finally {
    await shop.db.close()
  }
}

/** A purchase now, of each of so many fans. */
export async function recordToday(url: string, fans: number): Promise<void> {
  const shop = openShop(url)
  try {
    const { users } = shop.db.tables
    const some = await shop.db.read.select({ id: users.id }).from(users).orderBy(users.id).limit(fans)
    await shop.sellTo(
      some.map(({ id }) => id),
      Date.now(),
    )
  } finally {
    await shop.db.close()
  }
}

function openShop(url: string) {
  let now = new Date(FIRST_DAY_MS)
  const newId = () => Bun.randomUUIDv7('hex', now)
  const db = openDatabase(url, { ...realSources, now: () => now, newId }, { spine: createSpine() })
  /** One purchase of each fan, from this time on. */
  async function sellTo(fans: string[], fromMs: number): Promise<void> {
    for (let first = 0; first < fans.length; first += PER_UNIT_OF_WORK) {
      now = new Date(fromMs + first)
      const occurredAt = now
      const events = fans.slice(first, first + PER_UNIT_OF_WORK).map((userId, index) => ({
        source: SOURCE,
        eventId: newId(),
        userId,
        type: 'shop.purchase',
        occurredAt,
        data: { amount: 2_000 + ((index * 37) % 3_000), currency: 'EUR', till: `north-${index % 12}` },
      }))
      const written = await db.write(tx => writeEvents(tx, events))
      if (!written.every(({ recorded }) => recorded?.grants.length === 1))
        throw new Error('A purchase of the season does not earn points by one rule of the seed.')
    }
  }
  return { db, sellTo }
}
