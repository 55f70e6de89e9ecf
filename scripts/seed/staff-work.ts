/** What the staff and the maintenance of a club have done lately: the audit log, and the runs of commands. */
import { asc, eq } from 'drizzle-orm'
import type { Database, Transaction } from '../../db/index.ts'
import { grantPoints } from '../../src/economy/points/grants.ts'
import { createServerKey } from '../../src/identity/server-keys/keys.ts'
import type { ServerScope } from '../../src/identity/server-keys/scopes.ts'
import { type Action, recordAction } from '../../src/identity/staff/audit/record.ts'
import type { Staff } from '../../src/identity/staff/staff.ts'
import { type MaintenanceCommand, recordRun } from '../../src/platform/jobs/maintenance.ts'
import { type Calendar, DAY_MS, HOUR_MS, MINUTE_MS, readCalendar } from './calendar.ts'
import { DERBY } from './demo-matches.ts'
import type { SeedParameters } from './groups.ts'

const staff = (name: string, role: Staff['role']): Staff => ({ id: `link:${name}`, name, role })
const OWNER = staff('Inês Duarte', 'owner')
const SUPPORT = staff('Tom Baker', 'support')

/** Hours before the seed at which commands last found nothing. */
const RUNS: [MaintenanceCommand, hours: number][] = [
  ['backup', 5],
  ['verify-ledger', 9],
  ['verify-quests', 9],
  ['verify-pictures', 33],
  ['verify-audit', 33],
]

/** Writes nothing where staff have acted before. */
export const seedStaffWork = (
  db: Database,
  { provider, instant }: Pick<SeedParameters, 'provider' | 'instant'>,
) =>
  db.write(async tx => {
    const [acted] = await tx.select().from(tx.tables.consoleAudit).limit(1)
    if (acted) return
    const calendar = await readCalendar(tx, instant ?? tx.now())
    for (const [command, hours] of RUNS) await recordRun(ago(tx, calendar, hours * HOUR_MS), command)
    await act(tx, calendar, provider.name)
  })

/** The unit of work at an earlier time. */
function ago(tx: Transaction, { now }: Calendar, ms: number): Transaction {
  const at = new Date(now.getTime() - ms)
  return Object.assign(Object.create(tx), { now: () => at, clock: () => at })
}

async function act(tx: Transaction, calendar: Calendar, provider: string): Promise<void> {
  const record = (ms: number, action: Action) => recordAction(ago(tx, calendar, ms), action)
  const makeKey = async (ms: number, source: string, scopes: ServerScope[], reason: string) => {
    const issued = await createServerKey(ago(tx, calendar, ms), { source, scopes, expiresAt: null })
    if (!issued) return
    const detail = { id: issued.row.id, scopes, expiresAt: null }
    const subject = { kind: 'server_key', id: source }
    await record(ms, { staff: OWNER, operation: 'createServerKey', subject, reason, detail })
  }
  await makeKey(40 * DAY_MS, 'turnstiles', ['events:write'], 'The gates of the north stand report entries.')
  await makeKey(39 * DAY_MS, 'club-shop', ['events:write', 'orders:write'], 'The till of the shop.')
  const live = { revision: 2, status: 'live', homeScore: 1, awayScore: 0 }
  await record(12 * MINUTE_MS, {
    staff: OWNER,
    operation: 'reportMatch',
    subject: { kind: 'match', id: DERBY },
    detail: live,
    reason: 'Reported from the press box.',
  })
  const late = 'The scarf arrived two weeks late.'
  for (const [nth, userId] of (await readFans(tx, provider)).entries()) {
    const ms = 4 * MINUTE_MS - nth * MINUTE_MS
    const grant = { delta: 150 - 50 * nth, ref: `apology-${118 + nth}` }
    const named = { source: 'operator', provider: '' }
    const { created } = await grantPoints(ago(tx, calendar, ms), named, { fan: { userId }, ...grant })
    const subject = { kind: 'fan', id: userId }
    const detail = { ...grant, created }
    await record(ms, { staff: SUPPORT, operation: 'grantPointsToFan', subject, reason: late, detail })
  }
}

/** Fans with orders. */
async function readFans(tx: Transaction, provider: string): Promise<string[]> {
  const { orders, users } = tx.tables
  const rows = await tx
    .selectDistinct({ userId: orders.userId })
    .from(orders)
    .innerJoin(users, eq(users.id, orders.userId))
    .where(eq(users.provider, provider))
    .orderBy(asc(orders.userId))
    .limit(2)
  return rows.map(({ userId }) => userId)
}
