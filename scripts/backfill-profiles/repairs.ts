/** The parts of `backfill-profiles`: each finds, and repairs unless it is a dry run, with a line for every change. */

import type { Database, Transaction } from '../../db/index.ts'
import { findOrphans } from '../../db/orphans.ts'
import type { Finding } from '../../src/admin/audit/audit-fan.ts'
import { type Repair, repairFan } from '../../src/admin/audit/repair-fan.ts'
import { repairCount } from '../../src/admin/audit/repair-rank-index.ts'
import { judgeFan, verifyLedger } from '../../src/admin/audit/verify-ledger.ts'
import { findWrongCounts, type WrongCount } from '../../src/admin/audit/verify-rank-index.ts'
import { type BrokenField, listBrokenFields, repairField } from '../../src/admin/repair-profile.ts'
import { listBoards } from '../../src/leaderboard/rank-index/entries.ts'
import type { ChangeReport } from '../command/change-report.ts'

export interface Bench {
  db: Database
  dryRun: boolean
  report: ChangeReport
  write<Item>(
    noun: string,
    items: Item[],
    work: (tx: Transaction, item: Item) => Promise<unknown>,
  ): Promise<number>
  onProgress: (done: number, total: number) => void
}

export interface Tally {
  /** Changed, or in a dry run what would be. */
  changed: number
  /** Found, and for a person to decide. */
  left: number
  /** A few of those, in words. */
  examples: string[]
  /** Points that were added to balances and taken from them, or in a dry run would be. */
  points?: { added: number; removed: number }
}

const MOST_EXAMPLES = 5

/** Counts, and keeps a few words of what is left. */
function createTally() {
  const tally: Tally = { changed: 0, left: 0, examples: [] }
  return Object.assign(tally, {
    leave(words: string) {
      tally.left++
      if (tally.examples.length < MOST_EXAMPLES) tally.examples.push(words)
    },
  })
}

/** Everything of the ledger is read by `repairLedger` anyway. */
const READ_ELSEWHERE = ['points_entries', 'points_accounts', 'leaderboard_entries', 'leaderboard_scores']

export async function reportOrphans({ db, report }: Bench): Promise<Tally> {
  const tally = createTally()
  for (const { table, rows, userIds } of await findOrphans(db.read, READ_ELSEWHERE)) {
    report.append({ kind: 'orphan', table, rows, userIds })
    tally.leave(`${rows} in ${table} of ${userIds.join(', ')}`)
  }
  return tally
}

/** Accounts, enrolments and places by the ledger; then the counts by the places. */
export async function repairLedger(bench: Bench): Promise<Tally> {
  const { db, dryRun, report, write, onProgress } = bench
  const points = { added: 0, removed: 0 }
  const tally = Object.assign(createTally(), { points })
  const addBalance = (change: number) => {
    if (change > 0) points.added += change
    else points.removed -= change
  }
  const fans = new Map<string, Finding[]>()
  await verifyLedger(db, {
    onProgress,
    onFinding(finding) {
      const { userId, what, actual } = finding
      if (userId !== null) fans.set(userId, [...(fans.get(userId) ?? []), finding])
      else if (what === 'database') tally.leave(String(actual))
    },
  })
  const leave = (userId: string, findings: Finding[]) => {
    for (const finding of findings) report.append({ kind: 'broken', ...finding })
    tally.leave(
      `fan ${userId}: ${findings.map(({ what, seq }) => (seq ? `${what} of entry ${seq}` : what)).join(', ')}`,
    )
  }
  const known: [string, Finding[]][] = []
  for (const [userId, findings] of fans) {
    // Nobody to write an account for.
    if (findings.some(({ what }) => what === 'users.row')) leave(userId, findings)
    else known.push([userId, findings])
  }
  if (dryRun) {
    for (const [userId, findings] of known) {
      if (findings.some(isBroken)) leave(userId, findings)
      else {
        tally.changed++
        addBalance(await plannedChange(db, userId, findings))
        for (const finding of findings) report.append({ ...lineOf(finding), planned: true })
      }
    }
  } else {
    await write('fans (ledger)', known, async (tx, [userId]) => {
      const { outcome, findings, balanceChange }: Repair = await repairFan(tx, userId)
      if (outcome === 'repaired') for (const finding of findings) report.append(lineOf(finding))
      tx.afterCommit(() => {
        if (outcome === 'repaired') tally.changed++
        addBalance(balanceChange)
        if (outcome === 'broken') leave(userId, findings)
      })
    })
  }
  await repairCounts(bench, tally)
  return tally
}

/** What a repair would add to the fan's balance. */
async function plannedChange(db: Database, userId: string, findings: Finding[]): Promise<number> {
  if (findings.some(({ what }) => what === 'points_accounts.row'))
    return (await judgeFan(db.read, userId)).account.balance
  const balance = findings.find(({ what }) => what === 'points_accounts.balance')
  return balance ? Number(balance.expected) - Number(balance.actual) : 0
}

const lineOf = ({ expected, actual, ...rest }: Finding) => {
  return { kind: 'ledger', ...rest, before: actual, after: expected }
}
/** What a chain or an enrolment contradicts itself in; everything else follows from them. */
const isBroken = ({ what, actual }: Finding) =>
  what.startsWith('points_entries.') || (what.startsWith('leaderboard_entries.') && actual !== null)

/** Fans move counts meanwhile: what was overtaken is looked for again. */
const MOST_ROUNDS = 10

async function repairCounts({ db, dryRun, report, write }: Bench, tally: ReturnType<typeof createTally>) {
  for (const board of await listBoards(db.read)) {
    for (let round = 1; ; round++) {
      const wrong = await findWrongCounts(db.read, board)
      if (wrong.length === 0) break
      if (round > MOST_ROUNDS) {
        tally.leave(`${wrong.length} counts of board ${board}, which is being written to`)
        break
      }
      const line = ({ expected, actual, ...bucket }: WrongCount) => {
        return { kind: 'count', ...bucket, before: actual, after: expected }
      }
      if (dryRun) {
        tally.changed += wrong.length
        for (const count of wrong) report.append({ ...line(count), planned: true })
        break
      }
      await write('counts', wrong, async (tx, count) => {
        if (!(await repairCount(tx, count))) return
        report.append(line(count))
        tx.afterCommit(() => void tally.changed++)
      })
    }
  }
}

export async function repairProfiles({ db, dryRun, report, write }: Bench): Promise<Tally> {
  const tally = createTally()
  const mendable: (BrokenField & { after: string })[] = []
  const line = ({ expected: _, ...change }: BrokenField) => ({ kind: 'profile', ...change })
  const leave = (broken: BrokenField, problem: string) => {
    report.append({ ...line(broken), after: null, problem })
    tally.leave(`fan ${broken.userId}: ${broken.field} ${problem}`)
  }
  async function flush() {
    await write('profiles', mendable.splice(0), async (tx, broken) => {
      const outcome = await repairField(tx, broken)
      if (outcome === 'repaired') report.append(line(broken))
      tx.afterCommit(() => {
        if (outcome === 'repaired') tally.changed++
        if (outcome === 'taken') leave(broken, `would be ${broken.after}, which another fan has`)
      })
    })
  }
  for await (const broken of listBrokenFields(db.read)) {
    const { after, expected } = broken
    if (after === null) leave(broken, expected)
    else if (dryRun) {
      tally.changed++
      report.append({ ...line(broken), planned: true })
    } else if (mendable.push({ ...broken, after }) === 1_000) await flush()
  }
  if (mendable.length > 0) await flush()
  return tally
}
