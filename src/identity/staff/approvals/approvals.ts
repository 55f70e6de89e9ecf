/** Actions that wait for a second person: stored, then confirmed by another person, refused, or expired. */
import { and, desc, eq, inArray, isNotNull, isNull, lte, not, or } from 'drizzle-orm'
import type { Database, Reader, Transaction } from '../../../../db/index.ts'
import { countRows } from '../../../../db/pages.ts'
import { type Cursors, cutPage, pageOf } from '../../../core/pagination.ts'
import { DomainError } from '../../../core/problems.ts'
import { recordAction, type Subject } from '../audit/record.ts'
import { readSubjectNames } from '../audit/subjects.ts'
import type { Reached } from '../call.ts'
import { consoleProblems } from '../problems.ts'
import { mayDo, type Permission, permissionsOf } from '../roles.ts'
import { type Acting, type Inviters, readInviters } from '../sessions/inviters.ts'
import { lockSession } from '../sessions/sessions.ts'
import { roleOf, type Staff } from '../staff.ts'
import type { ApprovalQuery } from './schema.ts'
import { type ApprovalRow, isOpen, stateOf } from './state.ts'

export const APPROVAL_MS = 24 * 3_600_000
/** Maximum waiting requests of a person. */
export const MAX_WAITING = 20

/** A stored request: `path` includes its query. */
export interface KeptRequest {
  method: string
  path: string
  body: unknown
}

interface Requested extends Reached {
  staff: Staff
  /** The session in which the person asks. */
  sessionId: string
  subject: Subject
  reason: string | undefined
  request: KeptRequest
}

/**
 * Stores the action. Returns a refusal that says that it waits, to throw after the commit. @throws DomainError
 * `session_required`, `too_many_approvals`
 */
export async function keepApproval(
  tx: Transaction,
  { staff, sessionId, subject, reason, request, id: operation, permission }: Requested,
) {
  if (!(await lockSession(tx, sessionId))) throw new DomainError(consoleProblems.session_required)
  const [id, requestedAt] = [tx.newId(), tx.now()]
  const expiresAt = new Date(requestedAt.getTime() + APPROVAL_MS)
  const detail = { operation, approvalId: id }
  // The lock of the audit log serializes requests, so the count below is exact.
  await recordAction(tx, { staff, operation: 'requestApproval', subject, reason, detail })
  const { consoleApprovals } = tx.tables
  const isTheirs = eq(consoleApprovals.requestedById, staff.id)
  if ((await countRows(tx, consoleApprovals, and(isTheirs, isOpen(tx)))) >= MAX_WAITING)
    throw new DomainError(consoleProblems.too_many_approvals, { limit: MAX_WAITING })
  await tx.insert(consoleApprovals).values({
    id,
    permission,
    operation,
    subjectKind: subject.kind,
    subjectId: subject.id,
    reason: reason ?? null,
    request: JSON.stringify(request),
    requestedAt,
    expiresAt,
    requestedById: staff.id,
    requestedByName: staff.name,
    requestedByRole: staff.role,
  })
  return new DomainError(consoleProblems.approval_required, {
    approvalId: id,
    expiresAt: expiresAt.toISOString(),
    detail: 'The action waits. It happens when another person with this permission confirms it.',
  })
}

/**
 * Runs in the unit of work of the action, so that only one of several confirmations succeeds, and an error of the action
 * undoes the confirmation. An action in several units of work (`inSteps`) keeps the request until `finishApproval`. It waits
 * again after `reopenApproval`, or after an interruption. @throws DomainError `approval_closed`
 */
export async function claimApproval(
  tx: Transaction,
  id: string,
  confirmedBy: Staff,
  { inSteps }: { inSteps: boolean },
): Promise<void> {
  if (!(await decide(tx, id, 'confirmed', confirmedBy, inSteps ? {} : { request: null })))
    throw await closed(tx, id)
}

/** Called in the last unit of work. */
export async function finishApproval(tx: Transaction, id: string): Promise<void> {
  const { consoleApprovals } = tx.tables
  await tx.update(consoleApprovals).set({ request: null }).where(isUnderWay(tx, id))
}

/**
 * Called if the action fails after its first unit of work: it can be confirmed again, unless the sessions of the person who
 * asked have ended.
 */
export async function reopenApproval(tx: Transaction, id: string): Promise<void> {
  const { consoleApprovals } = tx.tables
  const undecided = { decision: null, decidedById: null, decidedByName: null, decidedAt: null }
  await tx.update(consoleApprovals).set(undecided).where(isUnderWay(tx, id))
}

const isUnderWay = (tx: Transaction, id: string) => {
  const { consoleApprovals } = tx.tables
  const { decision, request } = consoleApprovals
  return and(eq(consoleApprovals.id, id), eq(decision, 'confirmed'), isNotNull(request))
}

/** @throws DomainError `approval_closed` */
export async function refuseApproval(tx: Transaction, id: string, refusedBy: Staff): Promise<ApprovalRow> {
  const row = await decide(tx, id, 'refused', refusedBy, { request: null })
  if (!row) throw await closed(tx, id)
  return row
}

async function decide(
  tx: Transaction,
  id: string,
  decision: 'confirmed' | 'refused',
  by: Staff,
  request: { request?: null },
) {
  const { consoleApprovals } = tx.tables
  const [row] = await tx
    .update(consoleApprovals)
    .set({ decision, decidedById: by.id, decidedByName: by.name, decidedAt: tx.now(), ...request })
    .where(and(eq(consoleApprovals.id, id), isOpen(tx)))
    .returning()
  return row
}

async function closed(reader: Reader, id: string) {
  const { consoleApprovals } = reader.tables
  const [row] = await reader.select().from(consoleApprovals).where(eq(consoleApprovals.id, id))
  const state = row ? stateOf(row, reader.now()) : 'expired'
  return new DomainError(consoleProblems.approval_closed, {
    state,
    detail: `The request is already ${state}: nothing has changed.`,
  })
}

/**
 * An open approval that the person may decide. Everybody may refuse their own. @throws DomainError `approval_not_found`,
 * `permission_denied`, `approval_closed`, `own_approval`
 */
export async function requireDecidable(
  reader: Reader,
  id: string,
  staff: Staff,
  decision: 'confirm' | 'refuse',
): Promise<ApprovalRow> {
  const { consoleApprovals } = reader.tables
  const [row] = await reader.select().from(consoleApprovals).where(eq(consoleApprovals.id, id))
  if (!row) throw new DomainError(consoleProblems.approval_not_found)
  const isOwn = row.requestedById === staff.id
  // Guarantee of the cast: `keepApproval` writes it. If a later version has removed the permission, no role has it.
  const permission = row.permission as Permission
  if (!isOwn && !mayDo(staff.role, permission))
    throw new DomainError(consoleProblems.permission_denied, { permission })
  if (stateOf(row, reader.now()) !== 'pending') throw await closed(reader, id)
  if (decision === 'confirm') {
    const { areTwo } = await readInviters(reader, reader.now())
    if (!areTwo(...bothOf(row, staff, reader.now()))) throw new DomainError(consoleProblems.own_approval)
  }
  return row
}

/** Who asked, and who would confirm now. */
const bothOf = ({ requestedById }: ApprovalRow, { id }: Staff, at: Date): [Acting, Acting] => [
  { id: requestedById, at },
  { id, at },
]

/** The approvals that the person may decide, and their own, newest first. */
export async function listApprovals(
  reader: Reader,
  cursors: Cursors,
  staff: Staff,
  query: typeof ApprovalQuery.static,
) {
  const { consoleApprovals } = reader.tables
  const { limit, cursor } = pageOf(query)
  const list = `console approvals ${query.state} ${staff.id} ${staff.role}`
  const after = cursors.decode(list, cursor)
  const inState = {
    pending: isOpen(reader),
    decided: and(isNotNull(consoleApprovals.decision), not(isOpen(reader))),
    expired: and(isNull(consoleApprovals.decision), lte(consoleApprovals.expiresAt, reader.now())),
  }
  const rows = await reader
    .select()
    .from(consoleApprovals)
    .where(
      and(
        or(
          inArray(consoleApprovals.permission, permissionsOf(staff.role)),
          eq(consoleApprovals.requestedById, staff.id),
        ),
        query.state === undefined ? undefined : inState[query.state],
        // Ids are in the order of their times.
        after === undefined ? undefined : lte(consoleApprovals.id, after),
      ),
    )
    .orderBy(desc(consoleApprovals.id))
    .limit(limit + 1)
  const { shown } = cutPage(rows, limit, ({ id }) => id)
  const next = rows[limit]
  return {
    approvals: await presentApprovals(reader, shown, staff),
    nextCursor: next ? cursors.encode(list, next.id) : null,
  }
}

async function presentApprovals(reader: Reader, rows: ApprovalRow[], staff: Staff) {
  const named = await readSubjectNames(reader, rows.map(subjectOf))
  const inviters = await readInviters(reader, reader.now())
  return rows.map(row => present(row, staff, reader.now(), named, inviters))
}

export async function presentApproval(reader: Reader, row: ApprovalRow, staff: Staff) {
  const [presented] = await presentApprovals(reader, [row], staff)
  if (!presented) throw new Error('each row is presented')
  return presented
}

const subjectOf = ({ subjectKind: kind, subjectId: id }: ApprovalRow): Subject => ({ kind, id })
type Named = Awaited<ReturnType<typeof readSubjectNames>>

function present(row: ApprovalRow, staff: Staff, now: Date, named: Named, inviters: Inviters) {
  const state = stateOf(row, now)
  return {
    id: row.id,
    state,
    operation: row.operation,
    permission: row.permission,
    subject: named(subjectOf(row)),
    reason: row.reason,
    input: row.request === null || state !== 'pending' ? null : inputOf(requestOf(row)),
    requestedBy: { id: row.requestedById, name: row.requestedByName, role: roleOf(row.requestedByRole) },
    requestedAt: row.requestedAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    decidedBy:
      row.decidedById === null || state === 'pending'
        ? null
        : { id: row.decidedById, name: row.decidedByName ?? '' },
    decidedAt: state === 'pending' ? null : (row.decidedAt?.toISOString() ?? null),
    mayConfirm: state === 'pending' && inviters.areTwo(...bothOf(row, staff, now)),
  }
}

/** The members of the body, which the second person decides about. The reason is shown separately. */
function inputOf({ body }: KeptRequest): Record<string, unknown> {
  // Guarantee of the cast: nothing is known of the members.
  const { reason: _, ...input } = Object(body) as Record<string, unknown>
  return input
}

/** @throws Error for a request that was decided */
export function requestOf({ request }: ApprovalRow): KeptRequest {
  if (request === null) throw new Error('the request was decided')
  // Guarantee of the cast: `keepApproval` writes it.
  return JSON.parse(request) as KeptRequest
}

/**
 * Deletes the input of expired requests, and of requests whose process died while it ran them. The rows still say who asked
 * for what.
 */
export async function clearExpiredRequests({ write }: Pick<Database, 'write'>): Promise<void> {
  await write(async tx => {
    const { consoleApprovals } = tx.tables
    await tx
      .update(consoleApprovals)
      .set({ request: null })
      .where(and(lte(consoleApprovals.expiresAt, tx.now()), isNotNull(consoleApprovals.request)))
  })
}
