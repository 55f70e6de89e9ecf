/** Deletes personal data in opened packs when a fan is erased. */
import { and, eq, ne } from 'drizzle-orm'
import type { Transaction } from '../../../db/index.ts'

/** The texts that the fan chose as seeds. Without one, a draw cannot be repeated: see `readProof`. */
export async function deleteClientSeeds(tx: Transaction, userId: string): Promise<void> {
  const { userPacks } = tx.tables
  await tx
    .update(userPacks)
    .set({ clientSeed: '', seedErasedAt: tx.now() })
    .where(and(eq(userPacks.userId, userId), ne(userPacks.clientSeed, '')))
}
