/**
 * Plays a round of the cup with the verbs of the application, once: fans predict it, the split is counted at its deadline, and its results
 * are settled. The points of each fan follow from what all have predicted. The next round is open.
 */
import { and, asc, eq, exists, isNull, like, lt, sql } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../db/index.ts'
import { competitionKind } from '../../src/club/competitions/competition-kind.ts'
import { type MatchEntry, matchKind } from '../../src/club/matches/match-kind.ts'
import type { Caller } from '../../src/core/caller.ts'
import { lockToCount } from '../../src/identity/users/locks.ts'
import { writePrediction } from '../../src/play/predictions/predict.ts'
import { settleBatch } from '../../src/play/predictions/settle-batch.ts'
import { freezeSplits } from '../../src/play/predictions/split.ts'
import { HOUR_MS, MINUTE_MS, readCalendar } from './calendar.ts'
import { cup, cupOf } from './demo-cup.ts'
import type { SeedParameters } from './groups.ts'
import { createSeedSources, type SeedSources, withSources } from './sources.ts'

/** Far from the indexes of fans, and of the other parts. */
const INDEX = 100_000_007
const FANS = 40
/** Of the fans: who predicts a match, and who would have a joker on one of the round. */
const [PREDICTING, WITH_JOKER] = [0.75, 0.6]
/** Between two fans who predict. */
const LONGEST_GAP_MS = HOUR_MS
/** From kick-off to the report of the result. */
const MATCH_MS = 2 * HOUR_MS
/** When the results are settled: after the part before it. */
const BEFORE_NOW_MS = 35 * MINUTE_MS
const SECOND_MS = 1_000

/** Writes nothing the second time, and nothing if nobody has predicted. */
export const seedCup = (
  db: Database,
  { seed, provider, instant }: Pick<SeedParameters, 'seed' | 'provider' | 'instant'>,
): Promise<void> =>
  db.write(async real => {
    const calendar = await readCalendar(real, instant ?? real.now())
    const { played, open } = cupOf(calendar)
    const deadline = Math.min(...played.map(({ match }) => Date.parse(match.kickoffAt)))
    // Enough for all gaps.
    const opens = new Date(deadline - FANS * LONGEST_GAP_MS)
    const fans = await readFans(real, provider.name, opens)
    const [first, ...others] = fans
    if (!first) return
    // A concurrent seed waits here, and then finds the rows of this one.
    await lockToCount(real, first.userId)
    if ((await competitionKind.read(real, [cup.id])).length > 0) return
    const sources = createSeedSources(seed, calendar)(INDEX, calendar.created)
    const passUntil = (ms: number) => sources.pass(ms - sources.now().getTime())
    const tx = withSources(real, sources)
    await competitionKind.upsert(tx, cup)
    for (const { match } of played) await matchKind.upsert(tx, match)
    passUntil(opens.getTime())
    for (const { match, shown } of played) await writePrediction(tx, first, match.id, shown)
    await predict(
      tx,
      sources,
      played.map(({ match }) => match),
      others,
    )
    passUntil(deadline + SECOND_MS)
    await freezeSplits(
      tx,
      played.map(({ match }) => match.id),
    )
    for (const { match, result } of played) {
      passUntil(Date.parse(match.kickoffAt) + MATCH_MS)
      await matchKind.upsert(tx, { ...match, ...result, status: 'finished', revision: 2 })
    }
    for (const match of open) await matchKind.upsert(tx, match)
    // The first fan has not.
    await predict(tx, sources, open, others)
    passUntil(calendar.now.getTime() - BEFORE_NOW_MS)
    for (const { match } of played) while ((await settleBatch(tx, match.id, cup.points, FANS))?.more);
  })

/** Most choose home wins, and few away wins. */
async function predict(
  tx: Transaction,
  { faker, pass }: SeedSources,
  matches: MatchEntry[],
  fans: Caller[],
): Promise<void> {
  const likely = (probability: number) => faker.datatype.boolean({ probability })
  const goals = () => faker.number.int({ max: 2 })
  for (const fan of fans) {
    pass(faker.number.int({ min: MINUTE_MS, max: LONGEST_GAP_MS - MINUTE_MS }))
    const doubled = likely(WITH_JOKER) ? faker.helpers.arrayElement(matches) : undefined
    for (const match of matches) {
      if (!likely(PREDICTING)) continue
      const scores = { homeScore: faker.number.int({ max: 3 }), awayScore: Math.min(goals(), goals()) }
      await writePrediction(tx, fan, match.id, { ...scores, joker: match === doubled })
      pass(SECOND_MS)
    }
  }
}

/** The first fans of the seed who predict. */
async function readFans(reader: Reader, provider: string, before: Date): Promise<Caller[]> {
  const { users, predictions } = reader.tables
  const isPredicting = exists(
    reader.select({ one: sql`1` }).from(predictions).where(eq(predictions.userId, users.id)),
  )
  const rows = await reader
    .select({ userId: users.id, provider: users.provider, subject: users.subject })
    .from(users)
    .where(
      and(
        ...[eq(users.provider, provider), like(users.subject, 'fan-%'), isNull(users.erasedAt)],
        ...[isNull(users.suspendedUntil), lt(users.createdAt, before), isPredicting],
      ),
    )
    .orderBy(asc(users.subject))
    .limit(FANS)
  return rows.map(row => ({ ...row, isNew: false }))
}
