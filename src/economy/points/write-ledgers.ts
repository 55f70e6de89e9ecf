/** Writes what was booked in ledgers: entries, accounts, and scores. */
import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { earliestStart, isFinal } from '../leaderboard/boards.ts'
import { listEnrolments } from '../leaderboard/enrolment.ts'
import { type FanScore, readManyScores, writeManyScores } from '../leaderboard/rank-index/entries.ts'
import { type Earned, raisedScores } from '../leaderboard/scores.ts'
import { type Booked, boardsFor, earnedBy, type PointsReason } from '../ledgers/reasons.ts'
import type { Account } from './account.ts'
import { type AppendedEntry, noteAppended } from './appended-entries.ts'
import { changeBaselines } from './baselines.ts'
import { listEarnedScores } from './earned-scores.ts'

export interface ChangedLedger {
  account: Account
  booked: AppendedEntry[]
  /** Grants from which points were taken back. */
  taken: Taken[]
}

interface Taken extends Booked {
  points: number
  /** When the points were earned: before a merge carried them over. */
  earnedAt: Date
}

/** `told`: fans whose entries are part of another event. */
export async function writeLedgers(
  tx: Transaction,
  changed: ChangedLedger[],
  told: ReadonlySet<string>,
): Promise<void> {
  await writeEntries(tx, changed, told)
  await writeScores(tx, changed)
  await changeBaselines(tx, changed)
}

async function writeEntries(
  tx: Transaction,
  changed: ChangedLedger[],
  told: ReadonlySet<string>,
): Promise<void> {
  const { pointsAccounts, pointsEntries } = tx.tables
  const entries = changed.flatMap(({ booked }) => booked)
  await insertRows(tx, pointsEntries, entries)
  const accounts = changed.map(({ account }) => account)
  await insertRows(tx, pointsAccounts, accounts, {
    set: ['balance', 'lifetime', 'seq', 'headHash', 'updatedAt'],
  })
  for (const entry of entries) noteAppended(tx, entry, told.has(entry.userId))
}

/** Where points were taken back from a fan, the scores follow from all their entries. */
async function writeScores(tx: Transaction, changed: ChangedLedger[]): Promise<void> {
  const corrected = changed.filter(({ taken }) => taken.length > 0)
  const raised = changed.filter(({ taken }) => taken.length === 0)
  const booked = ({ booked, taken }: ChangedLedger): Booked[] => [...booked.map(bookedOf), ...taken]
  const changes = [
    await raisedScores(
      tx,
      raised.flatMap(({ booked }) => booked.flatMap(earnedOf)),
      tx.now(),
    ),
    await correctedScores(
      tx,
      corrected.map(({ account }) => account.userId),
      corrected.flatMap(booked),
    ),
  ]
  const before = changes.flatMap(change => change.before)
  const after = changes.flatMap(change => change.after)
  if (before.length + after.length > 0) await writeManyScores(tx, before, after)
}

// Guarantee of the cast: only the ledger makes these entries, from changes.
const bookedOf = ({ reason, ref, createdAt }: AppendedEntry): Booked => ({
  reason: reason as PointsReason,
  ref,
  at: createdAt,
})

function earnedOf(entry: AppendedEntry): Earned[] {
  const booked = bookedOf(entry)
  const gained = earnedBy({ ...booked, delta: entry.delta })
  return gained > 0 ? [{ userId: entry.userId, gained, boards: boardsFor(booked) }] : []
}

/**
 * The scores of many fans after points were taken back, computed from their ledgers for the boards of these entries, except final ones.
 * The entries and what was taken back of them are written.
 */
async function correctedScores(
  tx: Transaction,
  userIds: string[],
  entries: Booked[],
): Promise<{ before: FanScore[]; after: FanScore[] }> {
  if (userIds.length === 0) return { before: [], after: [] }
  const now = tx.now()
  const boards = entries.flatMap(boardsFor).filter(board => !isFinal(board, now))
  const open = new Map(boards.map(board => [board.id, board]))
  const found = await readManyScores(tx, userIds, [...open.keys()])
  // As in `raiseScores`: others are not enrolled, or enrolled without scores.
  const ranked = new Set(found.filter(({ board }) => board === 'all').map(({ userId }) => userId))
  const enrolments = await listEnrolments(tx, [...ranked])
  const earned = await listEarnedScores(tx, enrolments, earliestStart(boards, now))
  return {
    before: found.filter(({ userId }) => enrolments.has(userId)),
    after: earned.filter(({ board }) => open.has(board)),
  }
}
