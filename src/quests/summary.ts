/** The quests of a fan in numbers: SQL for the fan's rows, as parts of a larger statement, and which of them count. */
import { and, asc, count, eq, exists, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Reader } from '../../db/index.ts'
import { collected } from '../../db/listed.ts'
import { isActive } from '../catalogue/availability.ts'
import type { QuestSet } from './definition.ts'
import { isClaimable } from './rows.ts'

interface Who {
  userId: string
  now: Date
}

/** What the statement needs to know of the catalogue: quests that others require, and streaks. */
export function relevantQuests({ byId, dependents }: QuestSet, now: Date) {
  const streaks = [...byId.values()].filter(quest => quest.current.kind === 'streak' && isActive(quest, now))
  return { required: [...dependents.keys()], streaks: streaks.map(({ id }) => id) }
}

/** The ids of quests that a fan has begun and completed, and how many completed periods are to be claimed. */
export function ownQuests(reader: Reader, { userId, now, required }: Who & { required: string[] }) {
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
    /** Of those in `required`. */
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

/** The run of a streak that ends next, of those in `streaks` whose current period is incomplete. */
export function streakAtRisk(reader: Reader, { userId, now, streaks }: Who & { streaks: string[] }) {
  const { questStreaks } = reader.tables
  const { questId, current, lastEndsAt, endsAt } = questStreaks
  return reader
    .select({ questId, current, endsAt })
    .from(questStreaks)
    .where(
      and(eq(questStreaks.userId, userId), inArray(questId, streaks), lte(lastEndsAt, now), gt(endsAt, now)),
    )
    .orderBy(asc(endsAt), asc(questId))
    .limit(1)
    .as('streak_at_risk')
}
