/** The progress of the settlement of a match, for the club's staff. */
import { eq, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { findSettlement } from '../../club/matches/settlements.ts'

export interface SettlementProgress {
  /** Predictions of the match. */
  predictions: number
  /** Predictions that are settled by the current result. */
  settled: number
  /** Sum of the points that fans have for their predictions of the match. */
  points: number
  /** The action for the current result. Null: there is no result yet. */
  action: 'settle' | 'void' | 'reopen' | null
  state: 'none' | 'running' | 'done'
}

/** Counts the predictions of one match by its part of the primary key. */
export async function readSettlementProgress(reader: Reader, matchId: string): Promise<SettlementProgress> {
  const { predictions } = reader.tables
  const settlement = await findSettlement(reader, matchId)
  const revision = settlement?.revision ?? 0
  const [counts] = await reader
    .select({
      predictions: sql`count(*)`.mapWith(Number),
      settled:
        sql`coalesce(sum(case when ${predictions.revision} = ${revision} then 1 else 0 end), 0)`.mapWith(
          Number,
        ),
      points: sql`coalesce(sum(${predictions.booked}), 0)`.mapWith(Number),
    })
    .from(predictions)
    .where(eq(predictions.matchId, matchId))
  return {
    ...(counts ?? { predictions: 0, settled: 0, points: 0 }),
    // Guarantee of the cast: the constraint `match_settlements_action`.
    action: (settlement?.action ?? null) as SettlementProgress['action'],
    state: settlement === undefined ? 'none' : settlement.dueAt === null ? 'done' : 'running',
  }
}
