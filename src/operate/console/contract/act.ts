/** The only way in which operations of the console write: the action and its row in the audit log are one unit of work. */
import type { Database, Transaction } from '../../../../db/index.ts'
import { rollBack } from '../../../../db/roll-back.ts'
import { DomainError } from '../../../core/problems.ts'
import {
  claimApproval,
  finishApproval,
  keepApproval,
  reopenApproval,
} from '../../../identity/staff/approvals/approvals.ts'
import { type Detail, recordAction, type Subject } from '../../../identity/staff/audit/record.ts'
import { callOf } from '../../../identity/staff/call.ts'
import { twoPersonGroupsOf } from '../../../identity/staff/roles.ts'
import type { ConsoleConfig } from '../../../platform/config/console.ts'
import { bodyOf } from '../../../platform/http/edge/body.ts'
import { throwProblem } from '../../../platform/http/idempotency/idempotency.ts'
import { consoleConfigOf } from './settings.ts'

interface ActOptions<Result> {
  /** Detail of the result for the audit log, without personal data. */
  detail?: Detail | ((result: Exclude<Result, DomainError>) => Detail)
  /** `work` does something that a rollback does not undo, so it is not tried before another person is asked. */
  isFinal?: true
}

type Write = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>

export interface Act {
  /**
   * Runs `work` in a unit of work, and records in it who did what to `subject`, and why. If `work` throws, everything is
   * rolled back and nothing is recorded. If it returns a DomainError, the writes are committed and recorded with its code,
   * and then the error is thrown. If another person must confirm, `work` is tried and rolled back: what it refuses is refused at
   * once, and nobody is asked for it. @throws DomainError `approval_required`; and as `work`
   */
  <Result>(
    subject: Subject,
    reason: string | undefined,
    work: (tx: Transaction) => Promise<Result>,
    options?: ActOptions<Result>,
  ): Promise<Exclude<Result, DomainError>>
  /**
   * For an action in several units of work, such as a refund by a gateway: each call of `write` is one, and the first
   * records the start of the action. If `work` throws later, a second row has the code of the problem, and an action that
   * another person confirmed waits again.
   */
  inSteps<Result>(
    subject: Subject,
    reason: string | undefined,
    work: (write: Write) => Promise<Result>,
    options?: { detail?: Detail },
  ): Promise<Result>
}

interface ActDeps {
  db: Database
  config: { console: ConsoleConfig | null }
}

export function createAct({ db, config }: ActDeps, request: Request): Act {
  /** @throws DomainError `approval_required` if another person must confirm and has not yet; and as `attempt` */
  async function begin(
    subject: Subject,
    reason: string | undefined,
    attempt?: (tx: Transaction) => Promise<unknown>,
  ) {
    const { staff, session, reached, params, confirmation } = callOf(request)
    if (!reached) throw new Error('`act` is for handlers of operations')
    const { twoPerson } = consoleConfigOf({ config })
    const isOfGroup = twoPersonGroupsOf(reached.permission).some(group => twoPerson.includes(group))
    const body = bodyOf(request)
    if (isOfGroup && !confirmation && !(await reached.mayOnePerson({ body, params, reader: db.read }))) {
      if (attempt) await rollBack(db, attempt)
      const { pathname, search } = new URL(request.url)
      const kept = { method: request.method, path: pathname + search, body }
      const asked = { ...reached, staff, sessionId: session?.id ?? '', subject, reason, request: kept }
      throw await db.write(tx => keepApproval(tx, asked))
    }
    const action = { staff, operation: reached.id, subject, reason, confirmedBy: confirmation?.confirmedBy }
    /** Runs in the first unit of work, so that only one of several confirmations finds the approval open. */
    const claim = async (tx: Transaction, inSteps: boolean): Promise<void> => {
      if (confirmation)
        await claimApproval(tx, confirmation.approvalId, confirmation.confirmedBy, { inSteps })
    }
    return { action, claim, approvalId: confirmation?.approvalId }
  }

  async function inSteps<Result>(
    subject: Subject,
    reason: string | undefined,
    work: (write: Write) => Promise<Result>,
    { detail }: { detail?: Detail } = {},
  ): Promise<Result> {
    const { action, claim, approvalId } = await begin(subject, reason)
    let hasBegun = false
    const write: Write = async step => {
      if (hasBegun) return db.write(step)
      const result = await db.write(async tx => {
        await claim(tx, true)
        const stepResult = await step(tx)
        await recordAction(tx, { ...action, detail })
        return stepResult
      })
      hasBegun = true
      return result
    }
    let result: Result
    try {
      result = await work(write)
    } catch (error) {
      const failed = error instanceof DomainError ? error.code : 'internal_error'
      if (hasBegun)
        await db.write(async tx => {
          if (approvalId !== undefined) await reopenApproval(tx, approvalId)
          await recordAction(tx, { ...action, detail: { ...detail, failed } })
        })
      throw error
    }
    if (approvalId !== undefined && hasBegun) await db.write(tx => finishApproval(tx, approvalId))
    return result
  }

  const act = async <Result>(
    subject: Subject,
    reason: string | undefined,
    work: (tx: Transaction) => Promise<Result>,
    { detail, isFinal }: ActOptions<Result> = {},
  ) => {
    const { action, claim } = await begin(subject, reason, isFinal ? undefined : work)
    const outcome = await db.write(async tx => {
      await claim(tx, false)
      const result = await work(tx)
      await recordAction(tx, { ...action, detail: detailOf(result, detail) })
      return result
    })
    return throwProblem(outcome)
  }
  return Object.assign(act, { inSteps })
}

function detailOf<Result>(result: Result, detail: ActOptions<Result>['detail']): Detail | undefined {
  if (result instanceof DomainError) return { refused: result.code }
  // Guarantee of the cast: the line above.
  return typeof detail === 'function' ? detail(result as Exclude<Result, DomainError>) : detail
}
