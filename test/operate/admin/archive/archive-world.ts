/** Fans with a past of a season, and what is said about them before and after it is archived. */
import { asc, eq, gt } from 'drizzle-orm'
import type { Database } from '../../../../db/index.ts'
import { writeInBatches } from '../../../../db/write-in-batches.ts'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import type { Finding } from '../../../../src/core/finding.ts'
import { writeEvent } from '../../../../src/economy/events/record-event.ts'
import { voidEvent } from '../../../../src/economy/events/void-event.ts'
import {
  archivedUntil,
  type Filed,
  fileFans,
  sealFan,
} from '../../../../src/operate/admin/archive/archive-fans.ts'
import { restoreFan } from '../../../../src/operate/admin/archive/restore-fan.ts'
import { verifyArchive } from '../../../../src/operate/admin/archive/verify-archive.ts'

export const DAY = 86_400_000

interface Happening {
  userId: string
  type: string
  data?: Record<string, unknown>
}

let made = 0

/** An event of another system, now. Returns its id. */
export async function happen(db: Database, { userId, type, data = {} }: Happening): Promise<string> {
  const eventId = `event-${++made}`
  await db.write(tx => writeEvent(tx, { source: 'shop', eventId, userId, type, occurredAt: tx.now(), data }))
  return eventId
}

export const takeBack = (db: Database, eventId: string) =>
  db.write(tx => voidEvent(tx, { source: 'shop', eventId }))

/** Archives everything that is old enough, or older than `until`. `seal`: whether the rows of a fan whose file is written are deleted. */
export async function archive(
  db: Database,
  folder: string,
  { seasonId = 'next', seal = (_: Filed) => true, until = new Date('9999-01-01T00:00:00Z') } = {},
) {
  const sealed: boolean[] = []
  const fans = fileFans(db, { folder, seasonId, until: archivedUntil(until, db.read.now()) })
  await writeInBatches(
    db,
    fans,
    async (tx, filed) => void (seal(filed) && sealed.push(await sealFan(tx, filed))),
    { elapsed: () => performance.now(), exclusive: true },
  )
  return sealed.filter(Boolean).length
}

/** Without a run that the restore belongs to. */
export const restore = (db: Database, folder: string, userId: string) =>
  restoreFan(db, folder, userId, { hold: async () => {} })

export async function findingsOf(db: Database): Promise<Finding[]> {
  const findings: Finding[] = []
  await verifyLedger(db, { onFinding: finding => findings.push(finding) })
  return findings
}

export async function walk(db: Database, folder: string) {
  const findings: Finding[] = []
  const report = await verifyArchive(db, folder, finding => findings.push(finding))
  return { ...report, findings }
}

/** Accounts and scores. */
export async function figuresOf({ read }: Database) {
  const { pointsAccounts, leaderboardScores, ruleUses, ruleBudgets } = read.tables
  return {
    // A lock creates an account without entries.
    accounts: await read
      .select()
      .from(pointsAccounts)
      .where(gt(pointsAccounts.seq, 0))
      .orderBy(asc(pointsAccounts.userId)),
    scores: await read
      .select()
      .from(leaderboardScores)
      .orderBy(asc(leaderboardScores.board), asc(leaderboardScores.userId)),
    uses: await read
      .select()
      .from(ruleUses)
      .orderBy(asc(ruleUses.userId), asc(ruleUses.ruleId), asc(ruleUses.window)),
    budgets: await read.select().from(ruleBudgets).orderBy(asc(ruleBudgets.ruleId)),
  }
}

/** All entries and events of a fan, or of all fans. */
export async function rowsOf({ read }: Database, userId?: string) {
  const { pointsEntries, events } = read.tables
  return {
    entries: await read
      .select()
      .from(pointsEntries)
      .where(userId === undefined ? undefined : eq(pointsEntries.userId, userId))
      .orderBy(asc(pointsEntries.userId), asc(pointsEntries.seq)),
    events: await read
      .select()
      .from(events)
      .where(userId === undefined ? undefined : eq(events.userId, userId))
      .orderBy(asc(events.userId), asc(events.sequence), asc(events.eventId)),
  }
}
