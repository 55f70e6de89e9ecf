/** Adds a division with the verbs of the application, once: seeded fans who earned points in the running period are in its tables. */
import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, like } from 'drizzle-orm'
import type { Database, Reader } from '../../db/index.ts'
import type { AppendedEntry } from '../../src/economy/points/appended-entries.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { divisionKind } from '../../src/play/divisions/division-kind.ts'
import { getDivisions } from '../../src/play/divisions/division-set.ts'
import { openPeriod } from '../../src/play/divisions/periods.ts'
import { placeEarners } from '../../src/play/divisions/place.ts'
import { readCalendar } from './calendar.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, withSources } from './sources.ts'
import { inLanguages } from './texts/texts.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_006
/** Fans who can be in its tables. */
const FANS = 300

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
    const [first] = userIds
    if (first === undefined) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(real, first)
    if ((await divisionKind.read(real, [division.id])).length > 0) return
    const calendar = await readCalendar(real, instant ?? real.now())
    const tx = withSources(real, createSeedSources(seed, calendar)(INDEX, calendar.now))
    await divisionKind.upsert(tx, { ...division, levels: [...division.levels] })
    const added = (await getDivisions(tx)).get(division.id)
    if (!added) throw new Error('the division is not written')
    const { startsAt } = await openPeriod(tx, added, calendar.now)
    await placeEarners(tx, await readEarned(tx, userIds, startsAt))
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

/** What they earned since then, in the order in which it was booked. */
async function readEarned(reader: Reader, userIds: string[], since: Date): Promise<AppendedEntry[]> {
  const { pointsEntries: entries } = reader.tables
  const rows = await reader
    .select()
    .from(entries)
    .where(and(inArray(entries.userId, userIds), gte(entries.createdAt, since), gt(entries.delta, 0)))
    .orderBy(asc(entries.createdAt), asc(entries.userId), asc(entries.seq))
  // Nobody reads the lifetime points.
  return rows.map(row => ({ ...row, lifetime: 0 }))
}
