/**
 * The points ledger: append-only, hash-chained per fan, exact. The ledgers of fans are read together, changed in memory in the
 * order of the calls, and written together: the number of statements does not depend on the number of fans and entries.
 */
import { and, eq, gt, lt } from 'drizzle-orm'
import type { Reader, Transaction } from '../../../db/index.ts'
import { rowsByKeys } from '../../../db/keys.ts'
import { prepared } from '../../../db/prepared.ts'
import type { Merge } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import { type AccountKey, openAccountBook } from '../accounts/book.ts'
import { openAccountGrants } from '../accounts/grants.ts'
import { chainEntry, LedgerMismatchError } from '../ledgers/chain.ts'
import {
  type Cause,
  earnedBy,
  type Grant,
  grantSeqOfMergeRef,
  type PointsReason,
  type TakenBack,
  type VoidReason,
  voidReasonOf,
} from '../ledgers/reasons.ts'
import {
  type Account,
  type CheckedAccount,
  canBook,
  hasRoomFor,
  lockAccounts,
  NEW_ACCOUNT,
  type PointsEntry,
  readAccounts,
} from './account.ts'
import { type AppendedEntry, noteAppended } from './appended-entries.ts'
import { pointsProblems } from './problems.ts'
import { type ChangedLedger, writeLedgers } from './write-ledgers.ts'

export interface PointsChange {
  userId: string
  /** Whole points; negative to spend. Not zero. */
  delta: number
  /** Only `takeBack` books the others. */
  reason: Exclude<PointsReason, VoidReason>
  /** Identifies the cause within its reason: at most one entry per (user, reason, ref). */
  ref: string
  /** Points that are kept in this account. Default: the spendable ones. */
  accountId?: string | null
  /** For an account: decides the season. Default: now. */
  countedAt?: Date
}

type AnyChange = Omit<PointsChange, 'reason'> & { reason: PointsReason }

export type Booking =
  | { outcome: 'booked' | 'booked_before'; entry: PointsEntry }
  /** Nothing was written. */
  | { outcome: 'insufficient'; balance: number }

/** `held`: points of the balance that cannot be spent. */
export function insufficientPoints(pointsRequired: number, balance: number, held = 0) {
  const points = Math.max(0, balance - held)
  return new DomainError(pointsProblems.insufficient_points, {
    pointsRequired,
    points,
    missingPoints: pointsRequired - points,
    ...(held > 0 ? { detail: `Of the balance of ${balance}, ${held} are held for unpaid purchases.` } : {}),
  })
}

/** Changes of ledgers, in memory until `write`. */
export interface Ledgers {
  /** As `canBook` of an account. */
  canBook(userId: string, points: number): boolean
  /** Whether the account can hold these points, if they are earned. */
  hasRoom(userId: string, points: number): boolean
  /** Reads the ledgers of these fans in accounts, before something is booked there. */
  loadAccounts(keys: AccountKey[]): Promise<void>
  /** The sum of the entries of an account that is loaded. */
  balanceIn(key: AccountKey): number
  /** Reads what may have been booked before, as `causes` of `openLedgers`, also in accounts. */
  loadCauses(causes: Cause[]): Promise<void>
  /** The fan, and the fans into which it was merged, up to the fan who remains. */
  fansOf(userId: string): string[]
  /** Books a change, at most once per (user, reason, ref). @throws LedgerMismatchError; DomainError `points_limit_reached` */
  append(change: PointsChange): Booking
  /**
   * Takes back a grant once, by an entry with the same `ref`; takes nothing if the grant does not exist.
   * Lifetime points fall by what is taken, and so does each board on which the grant counted and that is not final. There
   * `reachedAt` becomes the time of the fan's latest earning that remains, as if the grant had never been made.
   * A grant that a merge has carried over is taken back of the fan who remains.
   * If the balance is zero, no entry is written, and a later call may take: the caller makes one call per void.
   * @throws LedgerMismatchError
   */
  takeBack(grant: Grant): TakenBack
  /** The entries that were booked for a fan, in their order. */
  bookedBy(userId: string): AppendedEntry[]
  /** Writes entries, accounts and scores. Call it once. `told`: fans whose entries are part of another event. */
  write(told?: ReadonlySet<string>): Promise<void>
}

interface Ledger extends CheckedAccount, ChangedLedger {
  /** Entries of the causes that were asked for, and those booked since. */
  known: Map<string, PointsEntry>
}

const nameOf = ({ reason, ref }: Pick<Cause, 'reason' | 'ref'>) => `${reason} ${ref}`

/**
 * Locks and reads the ledgers of these fans, whose rows exist. `causes`: what may have been booked before, each once; for
 * `takeBack`, both the grant and its void. A cause that is left out must be new: the unique index refuses it otherwise.
 * `merges`: of these fans, and of the fans into which they were merged (`followMerges`). Their ledgers are opened as well.
 */
export async function openLedgers(
  tx: Transaction,
  userIds: string[],
  causes: Cause[] = [],
  merges: Merge[] = [],
): Promise<Ledgers> {
  const owners = [...new Set([...userIds, ...merges.map(({ intoId }) => intoId)])]
  await lockAccounts(tx, owners)
  // Separate statements after the lock: on PostgreSQL the statement that waited for the lock reads an older snapshot.
  const ledgers = new Map<string, Ledger>()
  for (const [userId, account] of await readAccounts(tx, owners))
    ledgers.set(userId, { ...account, known: new Map(), booked: [], taken: [] })
  const at = tx.now()
  const intoOf = new Map(merges.map(({ fromId, intoId }) => [fromId, intoId]))
  /** For merged fans: the refs of their grants in the ledgers of other fans, by the entry of the grant. */
  const carried = new Map<string, Map<number, string>>()
  for (const merge of merges) carried.set(merge.fromId, await readCarriedGrants(tx, merge))
  const accountBook = openAccountBook(tx)
  const accountGrants = openAccountGrants(accountBook, intoOf)
  await loadCauses(causes)

  async function loadCauses(causes: Cause[]): Promise<void> {
    const further: Cause[] = []
    for (const { userId, ...entry } of await selectCauses(tx, causes)) {
      ledgers.get(userId)?.known.getOrInsert(nameOf(entry), entry)
      const grant = carriedGrant(userId, entry)
      if (grant) further.push(grant, { ...grant, reason: voidReasonOf('merge') })
    }
    if (further.length > 0) await loadCauses(further)
  }

  /** The grant in the remaining fan's ledger for a grant of a merged fan. */
  function carriedGrant(userId: string, { seq }: PointsEntry): Grant | undefined {
    const [into, ref] = [intoOf.get(userId), carried.get(userId)?.get(seq)]
    return into === undefined || ref === undefined ? undefined : { userId: into, reason: 'merge', ref }
  }

  function fansOf(userId: string): string[] {
    const into = intoOf.get(userId)
    return into === undefined ? [userId] : [userId, ...fansOf(into)]
  }

  // never points_limit_reached: the account had what returns to it.
  function takeBack({ userId, reason, ref }: Grant, firstEarnedAt?: Date): TakenBack {
    const ledger = ledgerOf(userId)
    const granted = ledger.known.get(nameOf({ reason, ref }))
    if (!granted) return accountGrants.takeBack({ userId, reason, ref })
    const voiding = { reason: voidReasonOf(reason), ref }
    const before = ledger.known.get(nameOf(voiding))
    const carriedOn = carriedGrant(userId, granted)
    const earnedAt = firstEarnedAt ?? granted.createdAt
    // The remaining fan returns the points to this record, from which they are then taken back like any
    // grant.
    const reclaimed = carriedOn && !before ? takeBack(carriedOn, earnedAt).points : 0
    if (carriedOn && reclaimed > 0) {
      const returned = `${carriedOn.userId}:${carriedOn.ref}`
      book(soundLedger(userId), { userId, delta: reclaimed, reason: 'merge_reclaimed', ref: returned })
    }
    const points = before ? -before.delta : Math.min(granted.delta, ledger.account.balance)
    if (!before && points > 0) {
      book(soundLedger(userId), { userId, delta: -points, ...voiding })
      ledger.taken.push({ reason, ref, at: granted.createdAt, points, earnedAt })
    }
    return { points, uncollected: granted.delta - points }
  }

  function soundLedger(userId: string): Ledger {
    const ledger = ledgerOf(userId)
    if (!ledger.isSound) throw new LedgerMismatchError(userId)
    return ledger
  }

  function ledgerOf(userId: string): Ledger {
    const ledger = ledgers.get(userId)
    if (!ledger) throw new Error('a locked points account does not exist')
    return ledger
  }

  function book(ledger: Ledger, change: AnyChange): PointsEntry {
    const { entry, head } = nextEntry(ledger.account, change, { id: tx.newId(), at })
    ledger.account = { userId: change.userId, ...head }
    ledger.booked.push({ ...entry, lifetime: head.lifetime })
    ledger.known.set(nameOf(change), entry)
    return entry
  }

  return {
    async loadCauses(causes) {
      await loadCauses(causes)
      await accountGrants.loadCauses(causes)
    },
    loadAccounts: accountBook.load,
    balanceIn: accountBook.balanceOf,
    fansOf,
    canBook: (userId, points) => canBook(ledgerOf(userId), points),
    hasRoom: (userId, points) => hasRoomFor(ledgerOf(userId).account, points, points),
    append({ accountId, countedAt, ...change }) {
      if (accountId != null) {
        const key = { userId: change.userId, accountId }
        const before = accountBook.find(change)
        if (before) return { outcome: 'booked_before', entry: before }
        const balance = accountBook.balanceOf(key)
        if (balance + change.delta < 0) return { outcome: 'insufficient', balance }
        return {
          outcome: 'booked',
          entry: accountBook.append({ ...change, ...key, countedAt: countedAt ?? at }),
        }
      }
      const ledger = ledgerOf(change.userId)
      const before = ledger.known.get(nameOf(change))
      if (before) return { outcome: 'booked_before', entry: before }
      const { balance } = soundLedger(change.userId).account
      if (balance + change.delta < 0) return { outcome: 'insufficient', balance }
      return { outcome: 'booked', entry: book(ledger, change) }
    },
    takeBack: grant => takeBack(grant),
    bookedBy: userId => ledgers.get(userId)?.booked ?? [],
    async write(told = new Set()) {
      const changed = [...ledgers.values()].filter(({ booked }) => booked.length > 0)
      await writeLedgers(tx, changed, told)
      await accountBook.write()
    },
  }
}

const selectCauses = rowsByKeys('pointsEntries', ['userId', 'reason', 'ref'])

/** Grants of a merged fan, which are taken back from the remaining fan: their refs there, by the entry of the grant. */
async function readCarriedGrants(reader: Reader, merge: Merge): Promise<Map<number, string>> {
  const { fromId, intoId } = merge
  const { pointsEntries: entries } = reader.tables
  const rows = await reader
    .select({ ref: entries.ref })
    .from(entries)
    .where(
      and(
        eq(entries.userId, intoId),
        eq(entries.reason, 'merge'),
        // The refs that begin with the id and a colon.
        gt(entries.ref, `${fromId}:`),
        lt(entries.ref, `${fromId};`),
      ),
    )
  const grants = rows.flatMap(({ ref }) => {
    const grant = grantSeqOfMergeRef(ref)
    return grant ? [[grant.seq, ref] as const] : []
  })
  return new Map(grants)
}

/**
 * Books a change, at most once per (user, reason, ref). Needs the user's row to exist.
 * The account's row lock serializes the entries of a fan on PostgreSQL, as the single writer does on SQLite. The unique
 * indexes and checks of the tables hold in any case.
 * @throws LedgerMismatchError; DomainError `points_limit_reached`
 */
export async function appendEntry(tx: Transaction, change: PointsChange): Promise<Booking> {
  const ledgers = await openLedgers(tx, [change.userId], [change])
  if (change.accountId != null) {
    await ledgers.loadAccounts([{ userId: change.userId, accountId: change.accountId }])
    await ledgers.loadCauses([change])
  }
  const booking = ledgers.append(change)
  await ledgers.write()
  return booking
}

/** As `Ledgers.takeBack`, alone. @throws LedgerMismatchError */
export async function takeBack(tx: Transaction, grant: Grant): Promise<TakenBack> {
  const voided = { ...grant, reason: voidReasonOf(grant.reason) }
  const ledgers = await openLedgers(tx, [grant.userId], [grant, voided])
  const taken = ledgers.takeBack(grant)
  await ledgers.write()
  return taken
}

/** Books the first entry of a fan whose record this unit of work has created: no other can have booked one. */
export async function openAccount(tx: Transaction, change: PointsChange) {
  const { userId } = change
  const { entry, head } = nextEntry({ userId, ...NEW_ACCOUNT }, change, { id: tx.newId(), at: tx.now() })
  await insertEntry(tx, entry)
  await insertAccount(tx, { userId, ...head })
  noteAppended(tx, { ...entry, lifetime: head.lifetime })
  return entry
}

const insertAccount = prepared((tx: Transaction, account: Account) =>
  tx.insert(tx.tables.pointsAccounts).values(account),
)

const insertEntry = prepared((tx: Transaction, entry: PointsEntry & { userId: string }) =>
  tx.insert(tx.tables.pointsEntries).values(entry),
)

/**
 * The entry of a change, the account after it, and the points earned by it. The balance must suffice.
 * @throws DomainError `points_limit_reached`
 */
export function nextEntry(account: Account, change: AnyChange, { id, at }: { id: string; at: Date }) {
  if (!hasRoomFor(account, change.delta, earnedBy(change)))
    throw new DomainError(pointsProblems.points_limit_reached)
  const { userId, delta, reason, ref } = change
  const gained = earnedBy(change)
  const { entry, head } = chainEntry(account, { userId, delta, reason, ref }, { id, at })
  const { lifetime, countedFrom } = account
  return { entry, head: { ...head, lifetime: lifetime + gained, countedFrom }, gained }
}

/** Query for the entry of a cause. */
export function entryOf(reader: Reader, { userId, reason, ref }: Cause) {
  const { pointsEntries } = reader.tables
  return reader
    .select()
    .from(pointsEntries)
    .where(
      and(eq(pointsEntries.userId, userId), eq(pointsEntries.reason, reason), eq(pointsEntries.ref, ref)),
    )
}
