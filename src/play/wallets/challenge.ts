/** Challenges: the texts that fans sign to prove that a wallet is theirs. */
import { and, count, eq, gt, lte } from 'drizzle-orm'
import { deleteInBatches } from '../../../db/batches.ts'
import type { Database, Reader, Transaction } from '../../../db/index.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { refuseField } from '../../core/transport-problems.ts'
import { lockToCount } from '../../identity/users/locks.ts'
import type { WalletsConfig } from '../../platform/config/wallets.ts'
import { loadEthereum } from './load-ethereum.ts'
import { walletProblems } from './problems.ts'
import type { NewChallenge } from './schema.ts'

const OPEN_MS = 300_000
const MAX_OPEN = 10
const NONCE_BYTES = 16

interface Signable {
  origin: string
  address: string
  chainId: number
}

/** Runs before the unit of work: checks the chain and the checksum. @throws DomainError `validation_failed` */
export async function prepareChallenge(
  { chainIds, origin }: WalletsConfig,
  { address, chainId }: NewChallenge,
): Promise<Signable> {
  if (origin === null || !chainIds.includes(chainId))
    refuseField({
      pointer: '/chainId',
      message:
        origin === null ? 'is of no chain: this server links no wallets' : `must be ${anyOf(chainIds)}`,
    })
  const checksummed = (await loadEthereum()).checksumAddress(address)
  if (checksummed === null)
    refuseField({ pointer: '/address', message: 'has another checksum (EIP-55): it is misspelt' })
  return { origin, address: checksummed, chainId }
}

const anyOf = (ids: number[]) => ids.join(', ').replace(/, (?=\d+$)/, ' or ')

export async function issueChallenge(tx: Transaction, { userId }: Caller, signable: Signable) {
  await lockToCount(tx, userId)
  const issuedAt = tx.clock()
  const open = await countOpen(tx, userId, issuedAt)
  if ((open?.count ?? 0) >= MAX_OPEN) throw new DomainError(walletProblems.too_many_challenges)
  const nonce = Buffer.from(tx.randomBytes(NONCE_BYTES)).toString('hex')
  const expiresAt = new Date(issuedAt.getTime() + OPEN_MS)
  const message = writeMessage({ ...signable, userId, nonce, issuedAt, expiresAt })
  const { address, chainId } = signable
  await insertChallenge(tx, { nonce, userId, address, chainId, message, expiresAt })
  return { message, nonce, expiresAt: expiresAt.toISOString() }
}

const countOpen = preparedRow((tx: Transaction, userId: string, now: Date) => {
  const { walletChallenges } = tx.tables
  return tx
    .select({ count: count() })
    .from(walletChallenges)
    .where(isOpen(tx, userId, now))
})

const insertChallenge = prepared(
  (tx: Transaction, challenge: Transaction['tables']['walletChallenges']['$inferInsert']) =>
    tx.insert(tx.tables.walletChallenges).values(challenge),
)

/** The challenge of a fan. @throws DomainError `challenge_expired` */
export async function requireChallenge(reader: Reader, userId: string, nonce: string, now: Date) {
  const challenge = await selectOpen(reader, userId, nonce, now)
  if (!challenge) throw new DomainError(walletProblems.challenge_expired)
  return challenge
}

const selectOpen = preparedRow((reader: Reader, userId: string, nonce: string, now: Date) => {
  const { walletChallenges } = reader.tables
  return reader
    .select()
    .from(walletChallenges)
    .where(and(eq(walletChallenges.nonce, nonce), isOpen(reader, userId, now)))
})

/** Deletes a challenge, so that only one of two requests can use it. @throws DomainError `challenge_expired` */
export async function takeChallenge(tx: Transaction, userId: string, nonce: string) {
  const [taken] = await deleteOpen(tx, userId, nonce, tx.clock())
  if (!taken) throw new DomainError(walletProblems.challenge_expired)
  return taken
}

const deleteOpen = prepared((tx: Transaction, userId: string, nonce: string, now: Date) => {
  const { walletChallenges } = tx.tables
  return tx
    .delete(walletChallenges)
    .where(and(eq(walletChallenges.nonce, nonce), isOpen(tx, userId, now)))
    .returning()
})

function isOpen({ tables: { walletChallenges } }: Pick<Reader, 'tables'>, userId: string, now: Date) {
  return and(eq(walletChallenges.userId, userId), gt(walletChallenges.expiresAt, now))
}

/** Deletes expired challenges. Returns their number. */
export const sweepChallenges = (db: Database): Promise<number> =>
  deleteInBatches(db, db.tables.walletChallenges, tx => lte(tx.tables.walletChallenges.expiresAt, tx.now()))

/** The text that a wallet signs (EIP-4361). It binds the signature to site, address, chain, fan and time. */

interface Signing {
  /** The site for which it is signed. */
  origin: string
  /** With the checksum of EIP-55. */
  address: string
  chainId: number
  userId: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

/** EIP-4361. It binds the signature to site, address, chain, fan and time. */
function writeMessage({ origin, address, chainId, userId, nonce, issuedAt, expiresAt }: Signing) {
  return `${new URL(origin).host} wants you to sign in with your Ethereum account:
${address}

Link this wallet to the fan account ${userId}. This does not sign you in, and moves nothing.

URI: ${origin}
Version: 1
Chain ID: ${chainId}
Nonce: ${nonce}
Issued At: ${issuedAt.toISOString()}
Expiration Time: ${expiresAt.toISOString()}`
}
