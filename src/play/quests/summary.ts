/** Numbers of a fan's quests: SQL for the fan's rows, as parts of a larger statement, and the rules for which rows count. */
import { and, asc, count, eq, exists, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Reader } from '../../../db/index.ts'
import { collected } from '../../../db/listed.ts'
import { isActive } from '../../club/catalogue/availability.ts'
import type { QuestSet } from './quest.ts'
import { isClaimable } from './rows.ts'
import { presentStreak } from './streak.ts'
import { readRun, type StreakRow } from './streaks.ts'

interface OwnQuery {
  userId: string
  now: Date
}

/** The data of the catalogue that the statement needs: quests that others require, and streaks. */
export function relevantQuests({ byId, dependents }: QuestSet, now: Date) {
  const streaks = [...byId.values()].filter(quest => quest.current.kind === 'streak' && isActive(quest, now))
  return { required: [...dependents.keys()], streaks: streaks.map(({ id }) => id) }
}

/** The ids of quests that a fan has begun and completed, and the number of completed periods to claim. */
export function ownQuests(reader: Reader, { userId, now, required }: OwnQuery & { required: string[] }) {
  const { quests, questProgress: row } = reader.tables
  const own = eq(row.userId, userId)
  const completed = reader
    .select({ questId: row.questId })
    .from(row)
    .where(and(own, eq(row.questId, quests.id), isNotNull(row.completedAt)))
  const claimable = reader
    .select({ count: count() })
    .from(row)
    .where(and(own, isClaimable(row)))
  return {
    /** In periods that are not over. */
    begun: collected(
      reader,
      row.questId,
      and(own, isNull(row.completedAt), or(isNull(row.endsAt), gt(row.endsAt, now))),
    ),
    /** Only quests in `required`. */
    completed: collected(reader, quests.id, and(inArray(quests.id, required), exists(completed))),
    claimable: sql<number>`${claimable}`.mapWith(Number),
  }
}

/** How many of the quests that a fan has begun are active. The same rules as `stateOf` in `state.ts`. */
export function countActive(
  { byId }: QuestSet,
  { begun, completed }: { begun: string[]; completed: string[] },
  now: Date,
): number {
  return begun.filter(id => {
    const quest = byId.get(id)
    return (
      quest && isActive(quest, now) && quest.current.requires.every(required => completed.includes(required))
    )
  }).length
}

/** The streak that ends next, among the quests in `streaks` with an incomplete current period. */
export function streakAtRisk(reader: Reader, { userId, now, streaks }: OwnQuery & { streaks: string[] }) {
  const { questStreaks } = reader.tables
  const { lastEndsAt, endsAt, questId } = questStreaks
  return reader
    .select()
    .from(questStreaks)
    .where(
      and(eq(questStreaks.userId, userId), inArray(questId, streaks), lte(lastEndsAt, now), gt(endsAt, now)),
    )
    .orderBy(asc(endsAt), asc(questId))
    .limit(1)
    .as('streak_at_risk')
}

/** The same as a fan sees it. */
export async function presentAtRisk(reader: Reader, { byId }: QuestSet, row: StreakRow, now: Date) {
  const rules = byId.get(row.questId)?.current
  if (!rules) return null
  const { current, atRiskUntil } = presentStreak(await readRun(reader, row, rules, now), rules, now)
  return atRiskUntil === null ? null : { questId: row.questId, current, atRiskUntil }
}
