/** SQL for the quests of the dashboard, as parts of a larger statement. */
import { and, asc, count, eq, gt, isNotNull, isNull, lte, notExists, notInArray, or } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { activeAt } from '../catalogue/availability.ts'

interface Who {
  /** Empty for a fan without a record. */
  userId: string
  now: Date
}

/** How many quests a fan has begun in a period that is not over, and how many completed periods are to be claimed. */
export function questCounts(reader: Reader, { userId, now }: Who) {
  const { quests, questProgress: row, questRequirements } = reader.tables
  const completed = reader
    .select({ questId: row.questId })
    .from(row)
    .where(and(eq(row.userId, userId), isNotNull(row.completedAt)))
  const missing = reader
    .select({ requiredId: questRequirements.requiredId })
    .from(questRequirements)
    .where(and(eq(questRequirements.questId, quests.id), notInArray(questRequirements.requiredId, completed)))
  // The same rules as `stateOf` in `state.ts`.
  const active = reader
    .select({ count: count().as('active_quests') })
    .from(row)
    .innerJoin(quests, eq(quests.id, row.questId))
    .where(
      and(
        eq(row.userId, userId),
        isNull(row.completedAt),
        or(isNull(row.endsAt), gt(row.endsAt, now)),
        activeAt(quests, now),
        notExists(missing),
      ),
    )
  const claimable = reader
    .select({ count: count().as('claimable_quests') })
    .from(row)
    .where(and(eq(row.userId, userId), isNotNull(row.completedAt), isNull(row.claimedAt)))
  return { active: active.as('active_quests'), claimable: claimable.as('claimable_quests') }
}

/** The run of a streak that ends next, among those whose current period is incomplete. */
export function streakAtRisk(reader: Reader, { userId, now }: Who) {
  const { quests, questStreaks } = reader.tables
  const { questId, current, lastEndsAt, endsAt } = questStreaks
  return reader
    .select({ questId, current, endsAt })
    .from(questStreaks)
    .innerJoin(quests, eq(quests.id, questId))
    .where(and(eq(questStreaks.userId, userId), lte(lastEndsAt, now), gt(endsAt, now), activeAt(quests, now)))
    .orderBy(asc(endsAt), asc(questId))
    .limit(1)
    .as('streak_at_risk')
}
