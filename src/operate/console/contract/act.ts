/** The one way in which an operation of the console writes: the action and its row in the audit log are one unit of work. */
import type { Database, Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { throwProblem } from '../../../platform/http/idempotency/idempotency.ts'
import { type Detail, recordAction, type Subject } from '../audit/record.ts'
import { callOf } from './call.ts'

interface ActOptions<Result> {
  /** What the audit log says of the result. No personal data. */
  detail?: Detail | ((result: Exclude<Result, DomainError>) => Detail)
}

/**
 * Runs `work` in a unit of work, and records in it who did what to `subject` and why. What `work` throws is rolled back and not
 * recorded. A DomainError that it returns is thrown after the commit: what it wrote is kept, and recorded with its code.
 */
export type Act = <Result>(
  subject: Subject,
  reason: string | undefined,
  work: (tx: Transaction) => Promise<Result>,
  options?: ActOptions<Result>,
) => Promise<Exclude<Result, DomainError>>

export const createAct =
  ({ db }: { db: Database }, request: Request): Act =>
  async (subject, reason, work, { detail } = {}) => {
    const { staff, reached } = callOf(request)
    if (!reached) throw new Error('`act` is for handlers of operations')
    const action = { staff, operation: reached.id, subject, reason }
    const outcome = await db.write(async tx => {
      const result = await work(tx)
      await recordAction(tx, { ...action, detail: detailOf(result, detail) })
      return result
    })
    return throwProblem(outcome)
  }

function detailOf<Result>(result: Result, detail: ActOptions<Result>['detail']): Detail | undefined {
  if (result instanceof DomainError) return { refused: result.code }
  // Guarantee of the cast: the line above.
  return typeof detail === 'function' ? detail(result as Exclude<Result, DomainError>) : detail
}
