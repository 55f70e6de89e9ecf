/** Points that another system or an operator grants, once per reference. */

import { and, asc, eq, getTableColumns, isNotNull } from 'drizzle-orm'
import type { Reader, Tables, Transaction } from '../../../db/index.ts'
import { countRows } from '../../../db/pages.ts'
import { prepared, preparedRow } from '../../../db/prepared.ts'
import { DomainError } from '../../core/problems.ts'
import { Closed, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { type FanNaming, FanReference, resolveFan } from '../../identity/users/fan-reference.ts'
import { listMergedRecords } from '../../identity/users/merges.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { isAccount } from '../accounts/account-kind.ts'
import { findAccountEntry } from '../accounts/history.ts'
import { accountProblems } from '../accounts/problems.ts'
import { readBalance } from './account.ts'
import { presentEntry } from './history.ts'
import { requireUnheld } from './holds.ts'
import { appendEntry, insufficientPoints, openLedgers } from './ledger.ts'
import { pointsProblems } from './problems.ts'

/** Keeps balances far from the largest exact integer. */
export const MAX_GRANT = 1_000_000_000

export const Grant = Closed({
  fan: FanReference,
  delta: Type.Union(
    [Type.Integer({ minimum: 1, maximum: MAX_GRANT }), Type.Integer({ minimum: -MAX_GRANT, maximum: -1 })],
    {
      description: 'Points; negative to take points from the balance. Not zero.',
      examples: [250],
      errorNoun: `a whole number of -${MAX_GRANT} to ${MAX_GRANT}, and not 0`,
    },
  ),
  ref: Type.String({
    minLength: 1,
    maxLength: 128,
    description:
      'Identifies the grant among those of all fans and sources. It is stored permanently in the ledger, which the fan sees: it must not contain personal data.',
    examples: ['season-ticket-2026-4711'],
  }),
  account: Type.Optional(
    Slug('The account in which the points are kept. Default: the points that fans spend.'),
  ),
  note: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'For operators. It is not part of the ledger, and an erasure deletes it.',
      examples: ['Apology for the closed gate'],
    }),
  ),
})
export type Grant = Static<typeof Grant>

interface Granter extends FanNaming {
  /** The system that grants. */
  source: string
}

/**
 * Books points once per `ref`. A repeat for the same fan and the same points returns the first entry, also after a merge of the fan.
 * @throws LedgerMismatchError
 */
export async function grantPoints(
  tx: Transaction,
  { source, ...naming }: Granter,
  { fan, account, delta, ref, note }: Grant,
) {
  const resolved = await resolveFan(tx, fan, naming)
  if ('missing' in resolved) throw new DomainError(userProblems.fan_not_found)
  const { userId } = resolved
  if (account !== undefined) return grantToAccount(tx, { userId, source, account, delta, ref, note })

  const before = await findBooked(tx, ref)
  if (before && before.userId !== userId) {
    // It is the same fan if the record that got the grant was merged into the fan since.
    const merged = before.delta === delta ? await listMergedRecords(tx, userId) : []
    if (!merged.some(({ id }) => id === before.userId)) throw new DomainError(pointsProblems.ref_reused)
    const { balance } = await readBalance(tx, userId)
    return { created: false, entry: presentEntry(before), balance }
  }
  const booking = await appendEntry(tx, { userId, delta, reason: 'adjustment', ref })
  if (booking.outcome === 'insufficient') throw insufficientPoints(-delta, booking.balance)
  const { entry } = booking
  if (booking.outcome === 'booked') {
    if (delta < 0) await requireUnheld(tx, userId, entry)
    const grant = { ref, source, userId, delta, entryId: entry.id, note: note ?? null, createdAt: tx.now() }
    // Another fan may have a grant of this ref, or get one at this moment: the primary key decides.
    if ((await insertGrant(tx, grant)).length === 0) throw new DomainError(pointsProblems.ref_reused)
  } else if (entry.delta !== delta || (await selectGrant(tx, { ref, entryId: entry.id })).length === 0) {
    throw new DomainError(pointsProblems.ref_reused)
  }
  const { balance } = await readBalance(tx, userId)
  return { created: booking.outcome === 'booked', entry: presentEntry(entry), balance }
}

interface AccountGrant extends Pick<Grant, 'delta' | 'ref' | 'note'> {
  userId: string
  source: string
  account: string
}

/** As `grantPoints`. The balance is that of the account. */
async function grantToAccount(tx: Transaction, { userId, source, account, delta, ref, note }: AccountGrant) {
  if (!(await isAccount(tx, account))) throw new DomainError(accountProblems.account_not_found)
  const cause = { userId, reason: 'adjustment', ref } as const
  const ledgers = await openLedgers(tx, [userId])
  await ledgers.loadAccounts([{ userId, accountId: account }])
  await ledgers.loadCauses([cause])
  const before = await findGrant(tx, ref)
  if (before && before.userId !== userId) {
    const merged = await listMergedRecords(tx, userId)
    const isTheirs = merged.some(({ id }) => id === before.userId)
    if (!isTheirs || before.accountId !== account || before.delta !== delta)
      throw new DomainError(pointsProblems.ref_reused)
    const entry = await findAccountEntry(tx, before.entryId)
    if (!entry) throw new Error('a grant has no entry')
    return {
      created: false,
      entry: presentEntry(entry),
      balance: ledgers.balanceIn({ userId, accountId: account }),
    }
  }
  const booking = ledgers.append({ ...cause, delta, accountId: account })
  if (booking.outcome === 'insufficient') throw insufficientPoints(-delta, booking.balance)
  const { entry, outcome } = booking
  if (outcome === 'booked') {
    await ledgers.write()
    const grant = { ref, source, userId, delta, entryId: entry.id, accountId: account, note: note ?? null }
    if ((await insertGrant(tx, { ...grant, createdAt: tx.now() })).length === 0)
      throw new DomainError(pointsProblems.ref_reused)
  } else if (before?.accountId !== account || entry.delta !== delta)
    throw new DomainError(pointsProblems.ref_reused)
  const balance = ledgers.balanceIn({ userId, accountId: account })
  return { created: outcome === 'booked', entry: presentEntry(entry), balance }
}

const findGrant = preparedRow((reader: Reader, ref: string) => {
  const { pointsGrants } = reader.tables
  return reader.select().from(pointsGrants).where(eq(pointsGrants.ref, ref))
})

const insertGrant = prepared((tx: Transaction, grant: Tables['pointsGrants']['$inferInsert']) =>
  tx.insert(tx.tables.pointsGrants).values(grant).onConflictDoNothing().returning(),
)

/** The entry of a grant. */
const findBooked = preparedRow((reader: Reader, ref: string) => {
  const { pointsGrants: grants, pointsEntries: entries } = reader.tables
  return reader
    .select(getTableColumns(entries))
    .from(grants)
    .innerJoin(entries, eq(entries.id, grants.entryId))
    .where(eq(grants.ref, ref))
})

const selectGrant = prepared((reader: Reader, { ref, entryId }: { ref: string; entryId: string }) => {
  const { pointsGrants } = reader.tables
  return reader
    .select({ ref: pointsGrants.ref })
    .from(pointsGrants)
    .where(and(eq(pointsGrants.ref, ref), eq(pointsGrants.entryId, entryId)))
})

/** The grants of a fan, oldest first. */
export function exportGrants(reader: Reader, userId: string) {
  const { pointsGrants } = reader.tables
  const { ref, source, delta, entryId, accountId, note, createdAt } = pointsGrants
  return reader
    .select({ ref, source, delta, entryId, accountId, note, createdAt })
    .from(pointsGrants)
    .where(eq(pointsGrants.userId, userId))
    .orderBy(asc(createdAt), asc(ref))
}

/** For the erasure of a fan. Returns the number of deleted notes. */
export async function deleteNotes(tx: Transaction, userId: string): Promise<number> {
  const { pointsGrants } = tx.tables
  const deleted = await tx
    .update(pointsGrants)
    .set({ note: null })
    .where(and(eq(pointsGrants.userId, userId), isNotNull(pointsGrants.note)))
    .returning({ ref: pointsGrants.ref })
  return deleted.length
}

export function countNotes(reader: Reader, userId: string): Promise<number> {
  const { pointsGrants } = reader.tables
  return countRows(reader, pointsGrants, and(eq(pointsGrants.userId, userId), isNotNull(pointsGrants.note)))
}
