/** Wallets that fans have linked to their accounts, and challenges to prove the ownership of a wallet. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineWalletsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, integer, text, timestamp } = kit

  /** The primary key links an address to one fan. */
  const wallets = table(
    'wallets',
    {
      /** With the checksum of EIP-55, so that an address has one form. */
      address: id().primaryKey(),
      userId: idOf(users),
      /** The chain of the last proof. */
      chainId: integer().notNull(),
      /**
       * `key`: the private key of the address signed, which is valid on every chain. `contract`: a contract on the chain
       * accepted the signature.
       */
      provedBy: id().notNull(),
      linkedAt: timestamp().notNull(),
    },
    t => [
      kit.index('wallets_user').on(t.userId, t.linkedAt, t.address),
      kit.check('wallets_proved_by', sql`${t.provedBy} in ('key', 'contract')`),
    ],
  )

  /** Deleted when it is used. */
  const walletChallenges = table(
    'wallet_challenges',
    {
      nonce: id().primaryKey(),
      userId: idOf(users),
      address: id().notNull(),
      chainId: integer().notNull(),
      /** The text to sign (EIP-4361). */
      message: text().notNull(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.index('wallet_challenges_user').on(t.userId, t.expiresAt),
      kit.index('wallet_challenges_expires_at').on(t.expiresAt),
    ],
  )

  return { wallets, walletChallenges }
}

export const fanData = {
  wallets: { userId: { export: 'wallets', erasure: 'delete', merge: 'move' } },
  // Challenges exist for five minutes; the export of the wallets contains their results.
  walletChallenges: { userId: { export: null, erasure: 'delete', merge: 'delete' } },
} satisfies FanData<ReturnType<typeof defineWalletsTables>>
