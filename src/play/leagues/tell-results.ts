/** Records the events of closed rounds, in parts: a unit of work has the events of some pairs, and notes how far it got. */
import { and, asc, eq, gte, inArray, isNotNull } from 'drizzle-orm'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { applicationEvent } from '../../economy/events/record-event.ts'
import { recordNotices } from '../../economy/events/record-notices.ts'
import { lockFans } from '../../identity/users/locks.ts'
import type { PairRow, RoundRow } from './rounds.ts'

/** Pairs of one unit of work. */
const TOGETHER = 50

/** Any number of processes may run it at the same time. Returns the number of events. */
export async function tellResults(
  { db }: { db: Database },
  stopping: () => boolean = () => false,
): Promise<number> {
  let sum = 0
  for (const { leagueId, number } of await selectUntold(db.read))
    for (let more = true; more && !stopping(); ) {
      const began = performance.now()
      const told = await tellPart(db, leagueId, number)
      sum += told ?? 0
      more = told !== null
      await restAfter(began)
    }
  return sum
}

const selectUntold = prepared((reader: Reader) => {
  const { leagueRounds: rounds } = reader.tables
  return reader
    .select({ leagueId: rounds.leagueId, number: rounds.number })
    .from(rounds)
    .where(isNotNull(rounds.tellFrom))
    .orderBy(asc(rounds.leagueId), asc(rounds.number))
    .limit(100)
})

/** Null if nothing is left. */
async function tellPart(db: Database, leagueId: string, number: number): Promise<number | null> {
  const { leagueRounds: rounds, leagueMembers: members, leaguePairs } = db.tables
  const isRound = and(eq(rounds.leagueId, leagueId), eq(rounds.number, number))
  const [round] = await db.read.select().from(rounds).where(isRound)
  if (!round || round.tellFrom === null) return null
  const pairs = await db.read
    .select()
    .from(leaguePairs)
    .where(
      and(
        eq(leaguePairs.leagueId, leagueId),
        eq(leaguePairs.round, number),
        gte(leaguePairs.position, round.tellFrom),
      ),
    )
    .orderBy(asc(leaguePairs.position))
    .limit(TOGETHER)
  const numbers = pairs.flatMap(({ home, away }) => (away === null ? [home] : [home, away]))
  const playing = await db.read
    .select({ number: members.number, userId: members.userId })
    .from(members)
    .where(and(eq(members.leagueId, leagueId), inArray(members.number, numbers)))
  const last = pairs.at(-1)?.position
  const next = last === undefined || pairs.length < TOGETHER ? null : last + 1
  return db.write(tx => tell(tx, { round, pairs, next, fans: playing }))
}

interface Part {
  round: RoundRow
  pairs: PairRow[]
  next: number | null
  fans: { number: number; userId: string }[]
}

/** Null if another process has told them. */
async function tell(tx: Transaction, { round, pairs, next, fans }: Part): Promise<number | null> {
  const { leagueId, number, tellFrom, week } = round
  // An erasure and this run one after the other.
  const locked = await lockFans(
    tx,
    fans.map(({ userId }) => userId),
  )
  const { leagueRounds: rounds } = tx.tables
  const taken = await tx
    .update(rounds)
    .set({ tellFrom: next })
    .where(and(eq(rounds.leagueId, leagueId), eq(rounds.number, number), eq(rounds.tellFrom, tellFrom ?? 0)))
    .returning()
  if (taken.length === 0) return null
  const ids = new Map(
    fans.flatMap(fan => {
      const found = locked.get(fan.userId)
      return found?.state === 'active' ? [[fan.number, found.id] as const] : []
    }),
  )
  const events = pairs.flatMap(pair => {
    const { home, away, homePoints, awayPoints } = pair
    return [
      { own: home, points: homePoints, opponentPoints: awayPoints },
      ...(away === null ? [] : [{ own: away, points: awayPoints, opponentPoints: homePoints }]),
    ].flatMap(({ own, points, opponentPoints }) => {
      const userId = ids.get(own)
      if (userId === undefined || points === null) return []
      const data = {
        leagueId,
        roundId: String(number),
        week,
        points,
        opponentPoints,
        outcome: outcomeOf(points, opponentPoints),
      }
      const eventId = `league:${leagueId}:${number}:${userId}`
      return [applicationEvent(tx, { userId, type: 'league.round_closed', data, eventId })]
    })
  })
  await recordNotices(tx, events)
  return events.length
}

function outcomeOf(points: number, opponentPoints: number | null) {
  if (opponentPoints === null) return 'bye' as const
  if (points === opponentPoints) return 'drawn' as const
  return points > opponentPoints ? ('won' as const) : ('lost' as const)
}
