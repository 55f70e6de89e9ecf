/** Deletes messages: of an erased fan, and those whose time is over. */
import { asc, eq, lt } from 'drizzle-orm'
import { deleteInBatches } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'

/** Days for which messages are kept. */
const MESSAGE_DAYS = 90

export async function deleteMessagesOf(tx: Transaction, userId: string): Promise<void> {
  const { messages, messageCampaignFans } = tx.tables
  await tx.delete(messageCampaignFans).where(eq(messageCampaignFans.userId, userId))
  await tx.delete(messages).where(eq(messages.userId, userId))
}

export const deleteOldMessages = (db: Database): Promise<number> => {
  const { messages } = db.tables
  const oldest = (tx: Transaction) => new Date(tx.now().getTime() - MESSAGE_DAYS * 86_400_000)
  return deleteInBatches(db, messages, tx => lt(messages.createdAt, oldest(tx)))
}

/** The campaigns that the fan got, or waits for. */
export const exportCampaigns = (reader: Reader, userId: string) => {
  const { userId: owner, campaignId, state, dueAt, messageId } = reader.tables.messageCampaignFans
  return reader
    .select({ campaignId, state, dueAt, messageId })
    .from(reader.tables.messageCampaignFans)
    .where(eq(owner, userId))
    .orderBy(asc(campaignId))
}
