/** Creates leagues of some seeded fans with the verbs of the application, once: by predictions, by points, and a locked one. */
import { and, asc, eq, isNotNull, isNull, like, lt } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import { countRows } from '../../db/pages.ts'
import type { Caller } from '../../src/core/caller.ts'
import { createCursors } from '../../src/core/pagination.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { changeLeague, createLeague, joinLeague } from '../../src/play/leagues/leagues.ts'
import type { NewLeague } from '../../src/play/leagues/schema.ts'
import { MINUTE_MS, readCalendar } from './calendar.ts'
import { seasonOf } from './demo-seasons.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans, of the society and of cash, so that their draws do not change. */
const INDEX = 100_000_002
/** When the leagues are created. Fans who joined the club before are in them. */
const DAYS_AGO = 20
const [MEMBERS, FEWEST] = [24, 4]

interface Demonstration extends Omit<NewLeague, 'format'> {
  /** Places of its members among the fans, the owner first. */
  places: number[]
  locked?: boolean
}

const placesOf = (length: number, first: number) => Array.from({ length }, (_, nth) => first + nth)

const leaguesIn = (season: string): Demonstration[] => [
  { name: 'Row 12, North Stand', scoring: 'predictions', season, from: 'start', places: placesOf(18, 0) },
  { name: 'Monday five-a-side', scoring: 'points', from: 'join', places: placesOf(12, 1) },
  { name: 'The Marlows', scoring: 'points', from: 'start', places: [2, 0, 3, 5, 1], locked: true },
]

/** Writes nothing if the first of the fans is in a league, or if too few are on the leaderboards. */
export const seedLeagues = (
  db: Database,
  { seed, provider, instant }: Pick<SeedParameters, 'seed' | 'provider' | 'instant'>,
) =>
  db.write(async tx => {
    const calendar = await readCalendar(tx, instant ?? tx.now())
    const start = calendar.inDays(-DAYS_AGO)
    const fans = await readFans(tx, provider.name, start)
    const [first] = fans
    if (!first || fans.length < FEWEST) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(tx, first.userId)
    const { leagueMembers } = tx.tables
    if ((await countRows(tx, leagueMembers, eq(leagueMembers.userId, first.userId))) > 0) return
    const sources = createSeedSources(seed, calendar)(INDEX, start)
    const seeded = withSources(tx, sources)
    for (const league of leaguesIn(seasonOf(calendar)))
      await write(seeded, fans, league, () => sources.pass(MINUTE_MS))
  })

async function write(
  tx: Transaction,
  fans: Caller[],
  { places, locked, ...league }: Demonstration,
  pass: () => void,
): Promise<void> {
  const [owner, ...others] = places.flatMap(place => fans[place] ?? [])
  if (!owner) return
  // For the first page, which nobody reads.
  const cursors = createCursors('seed')
  const { id, code } = await createLeague(tx, cursors, owner, { ...league, format: 'table' })
  for (const fan of others) {
    pass()
    await joinLeague(tx, cursors, fan, { code: code ?? '' })
  }
  pass()
  if (locked) await changeLeague(tx, cursors, owner, id, { locked })
}

/** The first fans of the seed with handles who are on the leaderboards. */
async function readFans(reader: Reader, provider: string, before: Date): Promise<Caller[]> {
  const { users, leaderboardEntries: enrolled } = reader.tables
  const rows = await reader
    .select({ userId: users.id, provider: users.provider, subject: users.subject })
    .from(users)
    .innerJoin(enrolled, and(eq(enrolled.userId, users.id), isNull(enrolled.leftAt)))
    .where(
      and(
        ...[eq(users.provider, provider), like(users.subject, 'fan-%'), isNotNull(users.handle)],
        ...[isNull(users.erasedAt), lt(users.createdAt, before)],
      ),
    )
    .orderBy(asc(users.subject))
    .limit(MEMBERS)
  return rows.map(row => ({ ...row, isNew: false }))
}
