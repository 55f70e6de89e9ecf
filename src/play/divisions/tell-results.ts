/** Records the events of fans who rose or fell, in parts. Rules and quests hear them. */
import { and, asc, eq, gt, inArray, or } from 'drizzle-orm'
import type { Logger } from 'pino'
import { restAfter } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { applicationEvent, writeEvents } from '../../economy/events/record-event.ts'
import { lockFans } from '../../identity/users/locks.ts'
import type { Result } from './close.ts'
import { EVENT_PREFIX } from './counting.ts'

/** Fans of one unit of work. */
const TOGETHER = 50

interface Key {
  userId: string
  divisionId: string
}

/** Any number of processes may run it at the same time. Returns the number of events. */
export async function tellDivisions(
  { db, log }: { db: Database; log: Pick<Logger, 'error'> },
  stopping: () => boolean = () => false,
): Promise<number> {
  let sum = 0
  let after: Key = { userId: '', divisionId: '' }
  while (!stopping()) {
    const began = performance.now()
    const keys = await selectUntold(db.read, after)
    const last = keys.at(-1)
    if (!last) break
    sum += await tellEach(keys)
    // A fan whose ledger is damaged delays no other.
    after = last
    await restAfter(began)
  }
  return sum

  async function tellEach(keys: Key[]): Promise<number> {
    try {
      return await db.write(tx => tell(tx, keys))
    } catch (error) {
      const [key, ...others] = keys
      if (key && others.length === 0)
        log.error({ userId: key.userId, error }, 'a result of a division is not told')
      if (others.length === 0) return 0
      let told = 0
      for (const one of keys) told += await tellEach([one])
      return told
    }
  }
}

const selectUntold = prepared((reader: Reader, { userId, divisionId }: Key) => {
  const { divisionMembers: members } = reader.tables
  return reader
    .select({ userId: members.userId, divisionId: members.divisionId })
    .from(members)
    .where(
      and(
        eq(members.untold, true),
        or(gt(members.userId, userId), and(eq(members.userId, userId), gt(members.divisionId, divisionId))),
      ),
    )
    .orderBy(asc(members.userId), asc(members.divisionId))
    .limit(TOGETHER)
})

async function tell(tx: Transaction, keys: Key[]): Promise<number> {
  const { divisionMembers: members } = tx.tables
  // An erasure or a merge, and this, run one after the other.
  await lockFans(tx, [...new Set(keys.map(({ userId }) => userId))])
  const isKey = or(
    ...[...Map.groupBy(keys, ({ divisionId }) => divisionId)].map(([divisionId, own]) =>
      and(
        eq(members.divisionId, divisionId),
        inArray(
          members.userId,
          own.map(({ userId }) => userId),
        ),
      ),
    ),
  )
  const taken = await tx
    .update(members)
    .set({ untold: false })
    .where(and(isKey, eq(members.untold, true)))
    .returning()
  const rows = taken.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const events = rows.flatMap(({ userId, divisionId, result }) => {
    // Guarantee of the cast: only `closeDivisions` writes it.
    const found = JSON.parse(result ?? 'null') as Result | null
    if (!found || found.outcome === 'stayed') return []
    const { outcome, startsAt, level, toLevel, rank, points, endsAt } = found
    const data = { divisionId, levelId: level, toLevelId: toLevel, rank, points, startsAt, endsAt }
    const eventId = `${EVENT_PREFIX}${divisionId}:${Date.parse(startsAt)}:${userId}`
    return [applicationEvent(tx, { userId, type: `division.${outcome}`, data, eventId })]
  })
  await writeEvents(tx, events)
  return events.length
}

const nameOf = ({ userId, divisionId }: Key) => `${userId} ${divisionId}`
