/**
 * Adds a division with the verbs of the application, once, as if it had been there for two months: seeded fans who earned points are in
 * its tables, and some have risen.
 */
import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, like, lt } from 'drizzle-orm'
import type { Database, Reader } from '../../db/index.ts'
import type { AppendedEntry } from '../../src/economy/points/appended-entries.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { closeTables } from '../../src/play/divisions/close.ts'
import { divisionKind } from '../../src/play/divisions/division-kind.ts'
import { getDivisions } from '../../src/play/divisions/division-set.ts'
import { openPeriod, type Period } from '../../src/play/divisions/periods.ts'
import { placeEarners } from '../../src/play/divisions/place.ts'
import { readCalendar } from './calendar.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, withSources } from './sources.ts'
import { inLanguages } from './texts/texts.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_006
/** Fans who can be in its tables. */
const FANS = 300
/** Months that have ended, so that fans are in each level. */
const CLOSED = 2

const level = (id: string, name: string, moving: { up?: number; down?: number }) => ({
  id,
  name: inLanguages(name),
  ...moving,
})

const division = {
  id: 'monthly',
  name: inLanguages('Monthly division'),
  size: 20,
  every: 'month',
  levels: [
    level('bronze', 'Bronze', { up: 5 }),
    level('silver', 'Silver', { up: 4, down: 5 }),
    level('gold', 'Gold', { down: 5 }),
  ],
} as const

/** Writes nothing the second time. The last part of a seed: before it, points put nobody into a table. */
export const seedDivisions = (
  db: Database,
  { seed, provider, instant }: Pick<SeedParameters, 'seed' | 'provider' | 'instant'>,
): Promise<void> =>
  db.write(async real => {
    const userIds = await readFans(real, provider.name)
    const [fan] = userIds
    if (fan === undefined) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(real, fan)
    if ((await divisionKind.read(real, [division.id])).length > 0) return
    const calendar = await readCalendar(real, instant ?? real.now())
    const sourcesAt = createSeedSources(seed, calendar)
    const at = (time: Date) => withSources(Object.create(real), sourcesAt(INDEX, time))
    const tx = at(calendar.now)
    await divisionKind.upsert(tx, { ...division, levels: [...division.levels] })
    const added = (await getDivisions(tx)).get(division.id)
    if (!added) throw new Error('the division is not written')
    let first = await openPeriod(tx, added, calendar.now)
    const periods = [first]
    for (let n = 0; n < CLOSED; n++) {
      first = await openPeriod(tx, added, new Date(first.startsAt.getTime() - 1))
      periods.unshift(first)
    }
    for (const period of periods) {
      const last = new Date(Math.min(period.endsAt.getTime() - 1, calendar.now.getTime()))
      await placeEarners(at(last), await readEarned(tx, userIds, period))
      if (period.endsAt > calendar.now) continue
      while ((await closeTables(tx, period, FANS))?.more);
    }
    // A server would tell fans now what happened then.
    const { divisionMembers: members } = tx.tables
    await tx.update(members).set({ untold: false }).where(eq(members.divisionId, division.id))
  })

/** The first fans of the seed who are on the leaderboards. */
async function readFans(reader: Reader, provider: string): Promise<string[]> {
  const { users, leaderboardEntries: enrolled } = reader.tables
  const rows = await reader
    .select({ userId: users.id })
    .from(users)
    .innerJoin(enrolled, and(eq(enrolled.userId, users.id), isNull(enrolled.leftAt)))
    .where(
      and(
        ...[eq(users.provider, provider), like(users.subject, 'fan-%'), isNotNull(users.handle)],
        isNull(users.erasedAt),
      ),
    )
    .orderBy(asc(users.subject))
    .limit(FANS)
  return rows.map(({ userId }) => userId)
}

/** What they earned in a period, in the order in which it was booked. */
async function readEarned(
  reader: Reader,
  userIds: string[],
  { startsAt, endsAt }: Pick<Period, 'startsAt' | 'endsAt'>,
): Promise<AppendedEntry[]> {
  const { pointsEntries: entries } = reader.tables
  const rows = await reader
    .select()
    .from(entries)
    .where(
      and(
        ...[inArray(entries.userId, userIds), gt(entries.delta, 0)],
        ...[gte(entries.createdAt, startsAt), lt(entries.createdAt, endsAt)],
      ),
    )
    .orderBy(asc(entries.createdAt), asc(entries.userId), asc(entries.seq))
  // Nobody reads the lifetime points.
  return rows.map(row => ({ ...row, lifetime: 0 }))
}
