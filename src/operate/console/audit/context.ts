/** What a row of the audit log came to: its outcome, the amount, and the fan that it concerns. */
import type { Reader } from '../../../../db/index.ts'
import { readApprovalStates } from '../../../identity/staff/approvals/state.ts'
import type { Subject } from '../../../identity/staff/audit/record.ts'
import type { OUTCOMES } from '../../../identity/staff/audit/schema.ts'
import { readPublicProfiles } from '../../../identity/users/public-profile.ts'
import { readPurchases } from '../../admin/fans/purchases.ts'

interface Recorded {
  operation: string
  subject: Subject
  detail: Record<string, unknown> | null
}
type ActionOutcome = (typeof OUTCOMES)[number]

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)

/** Subjects that are purchases: one id names a row of one of these tables. */
const PURCHASES = ['order', 'purchase']

export async function readAuditContext(reader: Reader, rows: Recorded[]) {
  const purchases = await readPurchases(
    reader,
    rows.flatMap(({ subject }) => (PURCHASES.includes(subject.kind) ? [subject.id] : [])),
  )
  const approvals = await readApprovals(
    reader,
    rows.flatMap(({ detail }) => textOf(detail?.approvalId) ?? []),
  )
  const fanIdOf = ({ subject, detail }: Recorded): string | null =>
    subject.kind === 'fan' ? subject.id : (textOf(detail?.fanId) ?? purchases.get(subject.id)?.userId ?? null)
  const profiles = await readPublicProfiles(reader, [...new Set(rows.flatMap(row => fanIdOf(row) ?? []))])
  return (row: Recorded) => {
    const fanId = fanIdOf(row)
    const fan = fanId === null ? null : { id: fanId, name: profiles.get(fanId)?.displayName ?? null }
    const bought = row.operation === 'refundPurchase' ? purchases.get(row.subject.id) : undefined
    return { ...outcomeOf(row, approvals), amount: amountOf(row) ?? bought?.price ?? null, fan }
  }
}

function outcomeOf(
  { operation, detail }: Recorded,
  approvals: Map<string, ActionOutcome>,
): { outcome: ActionOutcome; problem: string | null } {
  const [failed, refused] = [textOf(detail?.failed), textOf(detail?.refused)]
  if (failed !== null || refused !== null) return { outcome: 'failed', problem: failed ?? refused }
  if (operation === 'requestApproval')
    return { outcome: approvals.get(textOf(detail?.approvalId) ?? '') ?? 'expired', problem: null }
  return { outcome: detail?.created === false ? 'unchanged' : 'done', problem: null }
}

function amountOf({ detail }: Recorded): { amount: number; currency: string } | null {
  const { delta, amount, currency } = detail ?? {}
  if (typeof delta === 'number') return { amount: delta, currency: 'POINTS' }
  return typeof amount === 'number' && typeof currency === 'string' ? { amount, currency } : null
}

const OF_STATES = {
  pending: 'waiting',
  confirmed: 'confirmed',
  refused: 'refused',
  expired: 'expired',
} as const

async function readApprovals(reader: Reader, ids: string[]): Promise<Map<string, ActionOutcome>> {
  const states = await readApprovalStates(reader, ids)
  return new Map([...states].map(([id, state]) => [id, OF_STATES[state]]))
}
