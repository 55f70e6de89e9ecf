/** Completes sets, once per fan, which the primary key of the completions enforces. A completed set stays completed. */
import { and, asc, type Column, eq, type SQL, sql } from 'drizzle-orm'
import { ConflictError, type Reader, type Tables, type Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { applicationEvent } from '../../economy/events/record-event.ts'
import { openRecording } from '../../economy/events/recording.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import type { Arrival } from '../packs/arrivals.ts'
import { ownsItemOf } from '../packs/ownership.ts'
import { giveReward } from '../rewards/give-reward.ts'

/** Completes sets whose last missing item has arrived. Requires that the records of the fans are locked. */
export async function completeSetsOf(tx: Transaction, arrivals: Arrival[]): Promise<void> {
  const byFan = Map.groupBy(arrivals, ({ userId }) => userId)
  const open: OpenSets[] = []
  // One order for all units of work prevents deadlocks.
  for (const [userId, own] of [...byFan].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const collectibleIds = [...new Set(own.map(({ collectibleId }) => collectibleId))]
    const sets = await selectOpen(tx, userId, toList(collectibleIds))
    if (sets.length > 0) open.push({ userId, setIds: sets.map(({ setId }) => setId) })
  }
  await completeSets(tx, open)
}

export interface OpenSets {
  userId: string
  setIds: string[]
}

/**
 * Completes the sets of which the fan owns every item. Returns their number. Requires that the records of the fans are
 * locked.
 */
export async function completeSets(tx: Transaction, open: OpenSets[]): Promise<number> {
  const full: Completion[] = []
  for (const { userId, setIds } of open) {
    // Two concurrent units of work may each add a missing item: the later one must see both.
    await lockToCount(tx, userId)
    for (const set of await selectFull(tx, userId, toList(setIds))) full.push({ userId, ...set })
  }
  if (full.length === 0) return 0
  for (const completion of full) {
    const { userId, rewardId } = completion
    if (rewardId !== null && !(await giveReward(tx, userId, rewardId))) completion.rewardId = null
  }
  const recording = await openRecording(tx, [...new Set(full.map(({ userId }) => userId))])
  for (const completion of full) {
    const { userId, setId, points } = completion
    // never points_limit_reached: an account that is full gets none.
    if (!recording.ledgers.hasRoom(userId, points)) completion.points = 0
    else if (points > 0) recording.ledgers.append({ userId, delta: points, reason: 'set', ref: setId })
    const [inserted] = await insertCompletion(tx, { ...completion, completedAt: tx.now() })
    if (!inserted) throw new ConflictError('a set was completed meanwhile')
  }
  const events = full.map(({ userId, ...data }) =>
    applicationEvent(tx, { userId, type: 'set.completed', data }),
  )
  await recording.load(events)
  for (const event of events) await recording.record(event)
  await recording.write()
  return full.length
}

/** A completion with its reward. */
type Completion = Awaited<ReturnType<typeof selectFull>>[number] & { userId: string }

/** Active sets with one of these collectibles that the fan has not completed. */
const selectOpen = prepared((reader: Reader, userId: string, collectibleIds: string) => {
  const { sets, setItems } = reader.tables
  return reader
    .selectDistinct({ setId: setItems.setId })
    .from(setItems)
    .innerJoin(sets, eq(sets.id, setItems.setId))
    .where(
      and(
        isListed(reader, setItems.collectibleId, collectibleIds),
        eq(sets.active, true),
        isOpen(reader, userId, sets.id),
      ),
    )
})

const selectFull = prepared((reader: Reader, userId: string, setIds: string) => {
  const { sets } = reader.tables
  return reader
    .select({ setId: sets.id, points: sets.rewardPoints, rewardId: sets.rewardId })
    .from(sets)
    .where(
      and(
        isListed(reader, sets.id, setIds),
        isFull(reader, userId, sets.id),
        isOpen(reader, userId, sets.id),
      ),
    )
    .orderBy(asc(sets.id))
})

type HasTables = Pick<Reader, 'tables'>

/** SQL: whether the fan has not completed the set. */
export function isOpen(
  { tables: { setCompletions } }: HasTables,
  userId: string | Column,
  setId: string | Column,
): SQL {
  return sql`not exists (select 1 from ${setCompletions} where ${setCompletions.userId} = ${userId}
    and ${setCompletions.setId} = ${setId})`
}

/** SQL: whether the fan owns an item of each collectible of the set now. */
export function isFull(reader: HasTables, userId: string | Column, setId: string | Column): SQL {
  const { setItems } = reader.tables
  return sql`not exists (select 1 from ${setItems} where ${setItems.setId} = ${setId}
    and not ${ownsItemOf(reader, userId, setItems.collectibleId)})`
}

const insertCompletion = prepared((tx: Transaction, completion: Tables['setCompletions']['$inferInsert']) =>
  tx.insert(tx.tables.setCompletions).values(completion).onConflictDoNothing().returning(),
)
