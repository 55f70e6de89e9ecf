/**
 * Wallets that fans have linked by a signed message (`challenge.ts`, `verify.ts`). They prove what a fan holds, which the catalogue
 * can require. Fans cannot sign in with them.
 */

import { and, asc, count, eq, or, sql } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { locksInUnitOfWork } from '../../../db/row-lock.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { recordEvent } from '../../economy/events/record-event.ts'
import { voidLatest } from '../../economy/events/void-latest.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import { takeChallenge } from './challenge.ts'
import { walletProblems } from './problems.ts'
import type { WalletProof } from './schema.ts'
import type { Proof } from './verify.ts'

type WalletRow = Tables['wallets']['$inferSelect']

const MAX_WALLETS = 10

/** `proof` must belong to the same challenge. Linking an already linked wallet again changes only its chain. */
export async function linkWallet(
  tx: Transaction,
  { userId }: Caller,
  { nonce }: Pick<WalletProof, 'nonce'>,
  proof: Proof,
) {
  await lockToCount(tx, userId)
  const { address, chainId } = await takeChallenge(tx, userId, nonce)
  const proved = { address, userId, chainId, provedBy: proof }
  const [linked] = await insertWallet(tx, { ...proved, linkedAt: tx.now() })
  if (!linked) {
    const [relinked] = await updateOwn(tx, proved)
    if (!relinked) throw new DomainError(walletProblems.wallet_linked_elsewhere)
    return { created: false, wallet: presentWallet(relinked) }
  }
  if (((await countOwn(tx, userId))?.count ?? 0) > MAX_WALLETS)
    throw new DomainError(walletProblems.too_many_wallets)
  await recordEvent(tx, { userId, type: 'wallet.linked', data: { address, chainId } })
  return { created: true, wallet: presentWallet(linked) }
}

/** The primary key decides between two fans who link an address at the same time. */
const insertWallet = prepared((tx: Transaction, wallet: WalletRow) =>
  tx.insert(tx.tables.wallets).values(wallet).onConflictDoNothing().returning(),
)

const updateOwn = prepared((tx: Transaction, { address, userId, ...proved }: Omit<WalletRow, 'linkedAt'>) => {
  const { wallets } = tx.tables
  return tx
    .update(wallets)
    .set(proved)
    .where(and(eq(wallets.address, address), eq(wallets.userId, userId)))
    .returning()
})

const countOwn = preparedRow((tx: Transaction, userId: string) => {
  const { wallets } = tx.tables
  return tx.select({ count: count() }).from(wallets).where(eq(wallets.userId, userId))
})

/**
 * Does nothing if the fan has not linked the wallet. The address may have any case. Takes back the grants of rules and
 * quests for the link.
 */
export async function unlinkWallet(tx: Transaction, { userId }: Caller, address: string): Promise<void> {
  const [unlinked] = await deleteOwn(tx, userId, address.toLowerCase())
  if (unlinked) await voidLatest(tx, { userId, type: 'wallet.linked', about: { address: unlinked.address } })
}

const deleteOwn = prepared((tx: Transaction, userId: string, address: string) => {
  const { wallets } = tx.tables
  return tx
    .delete(wallets)
    .where(and(eq(wallets.userId, userId), sql`lower(${wallets.address}) = ${address}`))
    .returning({ address: wallets.address })
})

/** The linked wallets of a fan, the oldest first. */
export const listLinked = async (reader: Reader, userId: string) =>
  (await selectOwn(reader, userId)).map(presentWallet)

const selectOwn = prepared((reader: Reader, userId: string) => {
  const { wallets } = reader.tables
  return reader
    .select()
    .from(wallets)
    .where(eq(wallets.userId, userId))
    .orderBy(asc(wallets.linkedAt), asc(wallets.address))
})

/** The addresses of a fan on a chain, which stay linked until a unit of work ends. One that was proved by a key counts on every chain. */
export async function readHolders(reader: Reader, userId: string, chainId: number): Promise<string[]> {
  const { wallets } = reader.tables
  const isOnChain = or(eq(wallets.provedBy, 'key'), eq(wallets.chainId, chainId))
  const own = reader
    .select({ address: wallets.address })
    .from(wallets)
    .where(and(eq(wallets.userId, userId), isOnChain))
  return (await locksInUnitOfWork(reader, own)).map(({ address }) => address)
}

const presentWallet = ({ address, chainId, linkedAt }: WalletRow) => ({
  address,
  chainId,
  linkedAt: linkedAt.toISOString(),
})

/** For an erasure: the links and the challenges of a fan. */
export async function deleteWallets(tx: Transaction, userId: string): Promise<void> {
  const { wallets, walletChallenges } = tx.tables
  await tx.delete(walletChallenges).where(eq(walletChallenges.userId, userId))
  await tx.delete(wallets).where(eq(wallets.userId, userId))
}
