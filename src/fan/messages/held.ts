/** Messages of campaigns that are stopped now: their pushes wait. */
import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { isListed, toList } from '../../../db/listed.ts'
import { prepared } from '../../../db/prepared.ts'
import { locksForUpdate } from '../../../db/row-lock.ts'

/** Locks the campaigns: one that starts again finds what this unit of work has held back. */
const lockStopped = prepared((tx: Transaction) => {
  const { messageCampaigns: rows } = tx.tables
  return locksForUpdate(
    tx,
    tx.select({ id: rows.id }).from(rows).where(eq(rows.state, 'stopped')).orderBy(asc(rows.id)),
  )
})

/** Of the messages of these fans. Almost always there is no such campaign. */
export async function findHeld(tx: Transaction, userIds: string[]): Promise<ReadonlySet<string>> {
  const stopped = await lockStopped(tx)
  if (stopped.length === 0) return NONE
  const { campaignId, userId, messageId } = tx.tables.messageCampaignFans
  const rows = await tx
    .select({ messageId })
    .from(tx.tables.messageCampaignFans)
    .where(
      and(
        inArray(
          campaignId,
          stopped.map(({ id }) => id),
        ),
        isListed(tx, userId, toList(userIds)),
        isNotNull(messageId),
      ),
    )
  return new Set(rows.flatMap(row => row.messageId ?? []))
}

const NONE: ReadonlySet<string> = new Set()
