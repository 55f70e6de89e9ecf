/** A match with predictions, for tests of its settlement. */
import { and, asc, eq, inArray } from 'drizzle-orm'
import { competitionKind } from '../../../src/club/competitions/competition-kind.ts'
import { settlePredictions } from '../../../src/play/predictions/settle.ts'
import type { Fan, World } from '../../support/world.ts'
import { expectStatus, patientFan, userIdOf } from '../packs/packs-world.ts'

export const HOUR = 3_600_000

/** Kick-off is in an hour. */
export async function addMatch(
  world: World,
  fields: { season?: string; competition?: string; round?: string } = {},
) {
  const kickoffAt = new Date(world.clock.ms + HOUR)
  const matchId = await world.match({ ...fields, id: `match-${crypto.randomUUID()}`, kickoffAt })
  const key = await world.serverKey(['matches:write'])
  let revision = 1
  async function report(fields: object) {
    revision++
    const state = {
      status: 'scheduled',
      kickoffAt: kickoffAt.toISOString(),
      homeScore: null,
      awayScore: null,
    }
    const body = { revision, ...state, ...fields }
    expectStatus(200, await world.withToken(key).put(`/api/matches/${matchId}`, body))
  }
  return {
    matchId,
    kickoffAt,
    report,
    finish: (homeScore: number, awayScore: number) => report({ status: 'finished', homeScore, awayScore }),
    revision: () => revision,
  }
}

type Competition = Parameters<typeof competitionKind.upsert>[1]

/** Its predictions close with the round. */
export async function addCompetition(world: World, rules: Partial<Competition> = {}): Promise<string> {
  const points = { exact: 40, difference: 20, outcome: 7 }
  const entry = {
    id: `cup-${crypto.randomUUID()}`,
    name: 'Cup',
    deadline: 'round' as const,
    points,
    ...rules,
  }
  await world.db.write(tx => competitionKind.upsert(tx, entry))
  return entry.id
}

/** A fan on the leaderboards who predicted the score. */
export async function addPredictor(world: World, matchId: string, homeScore: number, awayScore: number) {
  const fan = await patientFan(world)
  expectStatus(204, await fan.put('/api/user/leaderboard-membership', {}))
  await predict(fan, matchId, homeScore, awayScore)
  return fan
}

export const predict = async (
  fan: Fan,
  matchId: string,
  homeScore: number,
  awayScore: number,
  joker?: boolean,
) => expectStatus(200, await fan.put(`/api/matches/${matchId}/prediction`, { homeScore, awayScore, joker }))

/** Runs all batches, also those that wait for older writes to end. */
export async function settleAll(world: World): Promise<void> {
  await settlePredictions(world.deps)
  world.clock.advance(60_000)
  await settlePredictions(world.deps)
}

/** The data of a fan about a match: prediction, ledger entries and events. */
export async function stateOf(world: World, fan: Fan, matchId: string) {
  const { predictions, pointsEntries, events } = world.db.tables
  const { read } = world.db
  const userId = (await userIdOf(world, fan)) ?? ''
  const [prediction] = await read
    .select()
    .from(predictions)
    .where(and(eq(predictions.matchId, matchId), eq(predictions.userId, userId)))
  const entries = await read
    .select()
    .from(pointsEntries)
    .where(
      and(eq(pointsEntries.userId, userId), inArray(pointsEntries.reason, ['prediction', 'prediction_void'])),
    )
    .orderBy(asc(pointsEntries.seq))
  const recorded = await read
    .select()
    .from(events)
    .where(and(eq(events.userId, userId), eq(events.type, 'prediction.settled')))
    .orderBy(asc(events.sequence))
  const own = entries.filter(({ ref }) => ref.startsWith(`${matchId}:`))
  return {
    prediction,
    deltas: own.map(({ delta }) => delta),
    sum: own.reduce((sum, { delta }) => sum + delta, 0),
    events: recorded
      .map(({ data, voidedAt }) => ({ ...JSON.parse(data ?? '{}'), voided: voidedAt !== null }))
      .filter(event => event.matchId === matchId),
  }
}
