/** Blocks, which end the follows of both and hide each from the other. */
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { noteBlock } from '../users/change-user.ts'
import { fanNotFound, isHidden, lockOther } from './find-fan.ts'
import { countEndedFollows } from './follow.ts'
import { deleteEmpty, lockPair } from './pair.ts'

/** A repeat changes nothing. A fan who has blocked the caller cannot be blocked: the caller does not find them. */
export async function blockFan(tx: Transaction, { userId: fanId }: Caller, handle: string): Promise<void> {
  const found = await lockOther(tx, fanId, handle)
  if (found?.relation?.blockedAt) return
  if (!found || found.other.hiddenAt || isHidden(found.relation)) throw fanNotFound()
  const otherId = found.other.id
  const [first, second] = fanId < otherId ? [fanId, otherId] : [otherId, fanId]
  const rows = await lockPair(tx, first, second)
  const own = rows.find(row => row.fanId === fanId)
  if (own?.blockedAt) return
  if (own?.blockedByAt) throw fanNotFound()
  await writeBlock(tx, { fanId, otherId, blockedAt: tx.now() })
  await writeBlockedBy(tx, { fanId: otherId, otherId: fanId, blockedByAt: tx.now() })
  await countEndedFollows(
    tx,
    rows.filter(({ followedAt }) => followedAt !== null).map(row => row.fanId),
  )
  for (const fan of [fanId, otherId].toSorted()) await noteBlock(tx, fan)
}

interface Ends {
  fanId: string
  otherId: string
}

const writeBlock = prepared(
  (tx: Transaction, { fanId, otherId, blockedAt }: Ends & { blockedAt: Date | null }) => {
    const { fanRelations: relations } = tx.tables
    return tx
      .update(relations)
      .set({ followedAt: null, blockedAt })
      .where(and(eq(relations.fanId, fanId), eq(relations.otherId, otherId)))
  },
)

const writeBlockedBy = prepared(
  (tx: Transaction, { fanId, otherId, blockedByAt }: Ends & { blockedByAt: Date | null }) => {
    const { fanRelations: relations } = tx.tables
    return tx
      .update(relations)
      .set({ followedAt: null, blockedByAt })
      .where(and(eq(relations.fanId, fanId), eq(relations.otherId, otherId)))
  },
)

/** Does not restore the follows. A repeat changes nothing. */
export async function unblockFan(tx: Transaction, { userId: fanId }: Caller, handle: string): Promise<void> {
  const found = await lockOther(tx, fanId, handle)
  const isBlocked = found?.relation?.blockedAt
  if (!found || (!isBlocked && (found.other.hiddenAt || isHidden(found.relation)))) throw fanNotFound()
  if (!isBlocked) return
  const otherId = found.other.id
  const [first, second] = fanId < otherId ? [fanId, otherId] : [otherId, fanId]
  await lockPair(tx, first, second)
  await endBlock(tx, { fanId, otherId })
  await deleteEmpty(tx, fanId, otherId)
}

async function endBlock(tx: Transaction, { fanId, otherId }: Ends): Promise<void> {
  await writeBlock(tx, { fanId, otherId, blockedAt: null })
  await writeBlockedBy(tx, { fanId: otherId, otherId: fanId, blockedByAt: null })
}
