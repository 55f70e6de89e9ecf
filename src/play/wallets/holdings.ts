/** Requirements of tokens: the chain is asked before the unit of work, which decides by what it answered. */

import { and, eq, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { prepared } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import type { Chains } from './chains.ts'
import type { Holds } from './entry-schema.ts'
import { walletProblems } from './problems.ts'

/** What the linked wallets of a fan held when the chain was asked: units by address, for each requirement. */
export type Held = ReadonlyMap<string, ReadonlyMap<string, bigint>>

/** As it is stored: one form of each requirement. */
export const storedHolds = (holds: Holds | undefined): string | null =>
  holds === undefined
    ? null
    : JSON.stringify({
        chainId: holds.chainId,
        contract: holds.contract.toLowerCase(),
        minimum: holds.minimum,
      })

/** Guarantee of the cast: `storedHolds` wrote it. */
const holdsOf = (requirement: string) => JSON.parse(requirement) as Holds

/** The member `requires` of an entry that can require this alone. */
export const presentHolds = (requirement: string | null) =>
  requirement === null ? {} : { holds: holdsOf(requirement) }

/** Asks for the balances of the fan's wallets. @throws DomainError `chain_unavailable` */
export async function readHeld(
  { read, chains }: { read: Reader; chains: Chains },
  userId: string,
  requirements: Iterable<string>,
): Promise<Held> {
  const held = new Map<string, ReadonlyMap<string, bigint>>()
  for (const requirement of requirements) {
    const { chainId, contract } = holdsOf(requirement)
    const wallets = await selectHolders(read, userId, chainId)
    const owners = wallets.map(({ address }) => address)
    held.set(requirement, await chains.balancesOf(chainId, contract, owners))
  }
  return held
}

/** Counts the wallets that are still linked. @throws DomainError `not_a_holder`, `chain_unavailable` */
export async function requireHolder(
  tx: Transaction,
  userId: string,
  requirement: string,
  held: Held | undefined,
): Promise<void> {
  const holds = holdsOf(requirement)
  const wallets = await selectHolders(tx, userId, holds.chainId)
  // The entry was imported while the request ran: it asks again.
  const balances = held?.get(requirement)
  if (wallets.length > 0 && !balances)
    throw new DomainError(walletProblems.chain_unavailable, { retryAfter: 1 })
  const sum = wallets.reduce((total, { address }) => total + (balances?.get(address) ?? 0n), 0n)
  if (sum < BigInt(holds.minimum))
    throw new DomainError(walletProblems.not_a_holder, { ...holds, held: String(sum) })
}
requireHolder.problems = [walletProblems.not_a_holder, walletProblems.chain_unavailable] as const

/** A key is of its address on every chain, a contract only on its own. */
const selectHolders = prepared((reader: Reader, userId: string, chainId: number) => {
  const { wallets } = reader.tables
  return reader
    .select({ address: wallets.address })
    .from(wallets)
    .where(and(eq(wallets.userId, userId), or(eq(wallets.provedBy, 'key'), eq(wallets.chainId, chainId))))
})
