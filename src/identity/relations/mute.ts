/** The list of muted fans. A muted fan never learns of it. */
import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { lockVisible } from './find-fan.ts'
import { deleteEmpty } from './pair.ts'

/** A repeat changes nothing. */
export async function muteFan(tx: Transaction, { userId: fanId }: Caller, handle: string): Promise<void> {
  const { id: otherId } = await lockVisible(tx, fanId, handle)
  await insertMute(tx, fanId, otherId, tx.now())
}

const insertMute = prepared((tx: Transaction, fanId: string, otherId: string, mutedAt: Date) => {
  const { fanRelations: relations } = tx.tables
  return tx
    .insert(relations)
    .values({ fanId, otherId, mutedAt })
    .onConflictDoUpdate({
      target: [relations.fanId, relations.otherId],
      set: { mutedAt: sql`coalesce(${relations.mutedAt}, excluded.muted_at)` },
    })
})

/** A repeat changes nothing. */
export async function unmuteFan(tx: Transaction, { userId: fanId }: Caller, handle: string): Promise<void> {
  const { id: otherId } = await lockVisible(tx, fanId, handle)
  await endMute(tx, fanId, otherId)
  await deleteEmpty(tx, fanId, otherId)
}

const endMute = prepared((tx: Transaction, fanId: string, otherId: string) => {
  const { fanRelations: relations } = tx.tables
  return tx
    .update(relations)
    .set({ mutedAt: null })
    .where(and(eq(relations.fanId, fanId), eq(relations.otherId, otherId)))
})
