/** The parts of `backfill-profiles`: each finds problems, repairs them unless in a dry run, and reports every change. */
import type { Database, Transaction } from '../../db/index.ts'
import { findOrphans } from '../../db/orphans.ts'
import { checkFan } from '../../src/audit/points/verify-points.ts'
import { verifyLedger } from '../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../src/core/finding.ts'
import { listBoards } from '../../src/economy/leaderboard/rank-index/entries.ts'
import {
  findWrongBuckets,
  repairBucket,
  type WrongBucket,
} from '../../src/economy/leaderboard/rank-index/verify.ts'
import { type Repair, repairFan } from '../../src/operate/admin/repair-fan.ts'
import {
  type BrokenField,
  listBrokenFields,
  type RepairableField,
  repairField,
} from '../../src/operate/admin/repair-profile.ts'
import type { ChangeReport } from '../command/change-report.ts'

export interface RepairContext {
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

export interface RepairSummary {
  /** Number of repaired items, or in a dry run of repairable ones. */
  changed: number
  /** Number of items that need a decision. */
  left: number
  /** Descriptions of a few of them. */
  examples: string[]
  /** Points added to and removed from balances; in a dry run, those that would be. */
  points?: { added: number; removed: number }
}

const MAX_EXAMPLES = 5

/** A summary that counts the remaining items and keeps a few examples. */
function createSummary() {
  const summary: RepairSummary = { changed: 0, left: 0, examples: [] }
  return Object.assign(summary, {
    leave(description: string) {
      summary.left++
      if (summary.examples.length < MAX_EXAMPLES) summary.examples.push(description)
    },
  })
}

/** `repairLedger` reads these tables. */
const READ_ELSEWHERE = ['points_entries', 'points_accounts', 'leaderboard_entries', 'leaderboard_scores']

export async function reportOrphans({ db, report }: RepairContext): Promise<RepairSummary> {
  const summary = createSummary()
  for (const { table, rows, userIds } of await findOrphans(db.read, READ_ELSEWHERE)) {
    report.append({ kind: 'orphan', table, rows, userIds })
    summary.leave(`${rows} in ${table} of ${userIds.join(', ')}`)
  }
  return summary
}

/** Repairs accounts, enrolments and scores from the ledger, then the counts from the scores. */
export async function repairLedger(context: RepairContext): Promise<RepairSummary> {
  const { db, dryRun, report, write, onProgress } = context
  const points = { added: 0, removed: 0 }
  const summary = Object.assign(createSummary(), { points })
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
      else if (what === 'database') summary.leave(String(actual))
    },
  })
  const leave = (userId: string, findings: Finding[]) => {
    for (const finding of findings) report.append({ kind: 'broken', ...finding })
    summary.leave(
      `fan ${userId}: ${findings.map(({ what, seq }) => (seq ? `${what} of entry ${seq}` : what)).join(', ')}`,
    )
  }
  const known: [string, Finding[]][] = []
  for (const [userId, findings] of fans) {
    // There is no user to write an account for.
    if (findings.some(({ what }) => what === 'users.row')) leave(userId, findings)
    else known.push([userId, findings])
  }
  if (dryRun) {
    for (const [userId, findings] of known) {
      if (findings.some(isBroken)) leave(userId, findings)
      else {
        summary.changed++
        addBalance(await plannedChange(db, userId, findings))
        for (const finding of findings) report.append({ ...lineOf(finding), planned: true })
      }
    }
  } else {
    await write('fans (ledger)', known, async (tx, [userId]) => {
      const { outcome, findings, balanceChange }: Repair = await repairFan(tx, userId)
      if (outcome === 'repaired') for (const finding of findings) report.append(lineOf(finding))
      tx.afterCommit(() => {
        if (outcome === 'repaired') summary.changed++
        addBalance(balanceChange)
        if (outcome === 'broken') leave(userId, findings)
      })
    })
  }
  await repairRankIndex(context, summary)
  return summary
}

/** The change that a repair would make to the fan's balance. */
async function plannedChange(db: Database, userId: string, findings: Finding[]): Promise<number> {
  if (findings.some(({ what }) => what === 'points_accounts.row'))
    return (await checkFan(db.read, userId)).account.balance
  const balance = findings.find(({ what }) => what === 'points_accounts.balance')
  return balance ? Number(balance.expected) - Number(balance.actual) : 0
}

const lineOf = ({ expected, actual, ...rest }: Finding) => {
  return { kind: 'ledger', ...rest, before: actual, after: expected }
}
/** Whether a hash chain or an enrolment is inconsistent; all other values follow from these. */
const isBroken = ({ what, actual }: Finding) =>
  what.startsWith('points_entries.') || (what.startsWith('leaderboard_entries.') && actual !== null)

/** Maximum number of searches for wrong counts: concurrent writes change counts. */
const MAX_ROUNDS = 10

async function repairRankIndex(
  { db, dryRun, report, write }: RepairContext,
  summary: ReturnType<typeof createSummary>,
) {
  for (const board of await listBoards(db.read)) {
    for (let round = 1; ; round++) {
      const wrong = await findWrongBuckets(db.read, board)
      if (wrong.length === 0) break
      if (round > MAX_ROUNDS) {
        summary.leave(`${wrong.length} counts of board ${board}, which changes concurrently`)
        break
      }
      const line = ({ expected, actual, ...bucket }: WrongBucket) => {
        return { kind: 'count', ...bucket, before: actual, after: expected }
      }
      if (dryRun) {
        summary.changed += wrong.length
        for (const count of wrong) report.append({ ...line(count), planned: true })
        break
      }
      await write('counts', wrong, async (tx, count) => {
        if (!(await repairBucket(tx, count))) return
        report.append(line(count))
        tx.afterCommit(() => void summary.changed++)
      })
    }
  }
}

export async function repairProfiles({ db, dryRun, report, write }: RepairContext): Promise<RepairSummary> {
  const summary = createSummary()
  const repairable: RepairableField[] = []
  const line = ({ expected: _, ...change }: BrokenField) => ({ kind: 'profile', ...change })
  const leave = (broken: BrokenField, problem: string) => {
    report.append({ ...line(broken), after: null, problem })
    summary.leave(`fan ${broken.userId}: ${broken.field} ${problem}`)
  }
  async function flush() {
    await write('profiles', repairable.splice(0), async (tx, broken) => {
      const outcome = await repairField(tx, broken)
      if (outcome === 'repaired') report.append(line(broken))
      tx.afterCommit(() => {
        if (outcome === 'repaired') summary.changed++
        if (outcome === 'taken') leave(broken, `would be ${broken.after}, which another fan has`)
      })
    })
  }
  for await (const broken of listBrokenFields(db.read)) {
    const { after, expected } = broken
    if (after === null) leave(broken, expected)
    else if (dryRun) {
      summary.changed++
      report.append({ ...line(broken), planned: true })
    } else if (repairable.push({ ...broken, after }) === 1_000) await flush()
  }
  if (repairable.length > 0) await flush()
  return summary
}
