/**
 * Exports the progress and the streaks of a fan; the counted events are in the export of the events. Merges those of two records, so
 * that no period is claimed twice.
 */
import { and, asc, eq, inArray } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import type { Reader, Transaction } from '../../../db/index.ts'
import { eachRow } from '../../../db/keyset.ts'
import type { Merge } from '../../core/caller.ts'
import { readQuestSet } from './quest.ts'
import { type ProgressRow, selectCompletedEnds } from './rows.ts'
import { parseCounts } from './state.ts'
import { endOfStreak, streakOf } from './streak.ts'

/** By quest and period. */
export async function* exportQuests(reader: Reader, userId: string) {
  const { questProgress } = reader.tables
  const { questId, period } = questProgress
  const rows = eachRow({ questId, period }, after =>
    reader
      .select()
      .from(questProgress)
      .where(and(eq(questProgress.userId, userId), after)),
  )
  for await (const { userId: _, completionId: _c, counts, given, ...row } of rows)
    yield { ...row, counts: parseCounts(counts), given: given === null ? null : JSON.parse(given) }
}

export function exportStreaks(reader: Reader, userId: string) {
  const { questId, current, best, lastEndsAt, endsAt } = reader.tables.questStreaks
  return reader
    .select({ questId, current, best, lastEndsAt, endsAt })
    .from(reader.tables.questStreaks)
    .where(eq(reader.tables.questStreaks.userId, userId))
    .orderBy(asc(questId))
}

/**
 * The progress of the merged fan stays with the merged record, like the counted events. A period is copied to the other fan
 * if it is further there: claimed, then completed, then more counted. Returns the number of copied periods.
 */
export async function copyQuests(tx: Transaction, { fromId, intoId }: Merge): Promise<number> {
  const { questProgress, questCounts } = tx.tables
  const own = new Map((await progressOf(tx, intoId)).map(row => [nameOf(row), row]))
  const copied = (await progressOf(tx, fromId)).filter(row => {
    const other = own.get(nameOf(row))
    return !other || isFurther(row, other)
  })
  if (copied.length === 0) return 0
  const replaced = copied.flatMap(row => own.get(nameOf(row)) ?? [])
  for (const { userId, questId, period } of replaced)
    for (const table of [questCounts, questProgress])
      await tx
        .delete(table)
        .where(and(eq(table.userId, userId), eq(table.questId, questId), eq(table.period, period)))
  await insertRows(
    tx,
    questProgress,
    copied.map(row => ({ ...row, userId: intoId, carriedFrom: fromId })),
  )
  const names = new Set(copied.map(nameOf))
  const counts = await tx.select().from(questCounts).where(eq(questCounts.userId, fromId))
  await insertRows(
    tx,
    questCounts,
    counts.filter(row => names.has(nameOf(row))).map(row => ({ ...row, userId: intoId })),
  )
  await countStreaks(tx, intoId, [...new Set(copied.map(({ questId }) => questId))])
  return copied.length
}

const progressOf = (tx: Transaction, userId: string) => {
  const { questProgress } = tx.tables
  return tx.select().from(questProgress).where(eq(questProgress.userId, userId))
}

const nameOf = ({ questId, period }: Pick<ProgressRow, 'questId' | 'period'>) => `${questId} ${period}`

function isFurther(row: ProgressRow, other: ProgressRow): boolean {
  const [stage, others] = [stageOf(row), stageOf(other)]
  return stage === others ? stage === 0 && countOf(row) > countOf(other) : stage > others
}

const stageOf = ({ completedAt, claimedAt }: ProgressRow) => (claimedAt ? 2 : completedAt ? 1 : 0)
const countOf = ({ counts }: ProgressRow) =>
  Object.values(parseCounts(counts)).reduce((sum, count) => sum + count, 0)

async function countStreaks(tx: Transaction, userId: string, questIds: string[]): Promise<void> {
  const { questStreaks } = tx.tables
  const { byId } = await readQuestSet(tx)
  for (const questId of questIds) {
    const rules = byId.get(questId)?.current
    if (rules?.kind !== 'streak') continue
    const completed = await selectCompletedEnds(tx, { userId, questId })
    const streak = streakOf(
      completed.flatMap(({ endsAt }) => endsAt ?? []),
      rules,
    )
    if (!streak) continue
    await tx
      .delete(questStreaks)
      .where(and(eq(questStreaks.userId, userId), inArray(questStreaks.questId, [questId])))
    await tx.insert(questStreaks).values({ userId, questId, ...streak, endsAt: endOfStreak(streak, rules) })
  }
}
