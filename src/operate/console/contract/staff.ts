/** Groups of routes for signed-in staff. */
import { Elysia, type ElysiaCustomStatusResponse } from 'elysia'
import type { Logger } from 'pino'
import type { Database } from '../../../../db/index.ts'
import { isSameSecret } from '../../../core/constant-time.ts'
import { DomainError, type ProblemOf } from '../../../core/problems.ts'
import { confirmationOf } from '../../../identity/staff/approvals/replay.ts'
import { beginCall, type CurrentSession } from '../../../identity/staff/call.ts'
import { consoleProblems } from '../../../identity/staff/problems.ts'
import { requireOwnPage, requireSameOrigin } from '../../../identity/staff/same-origin.ts'
import { createUseRecorder } from '../../../identity/staff/sessions/last-use.ts'
import { csrfTokenOf } from '../../../identity/staff/sessions/secrets.ts'
import { findSession } from '../../../identity/staff/sessions/sessions.ts'
import type { Config } from '../../../platform/config/config.ts'
import { describeGroup, type Group, withRefusals } from '../../../platform/http/contract/group.ts'
import { uncachedInGroup } from '../../../platform/http/edge/server-hooks.ts'
import { cookieName, readCookie } from '../sessions/cookie.ts'
import { createAct } from './act.ts'
import { consoleConfigOf } from './settings.ts'

/** What every group of staff needs. */
export interface StaffDeps {
  config: Config
  db: Database
  log: Logger
}

/** An error of authentication: see `Refusal` in `identity/auth/groups.ts`. */
type Refusal =
  | ElysiaCustomStatusResponse<401, ProblemOf<typeof consoleProblems.session_required>, 401>
  | ElysiaCustomStatusResponse<
      403,
      ProblemOf<typeof consoleProblems.csrf_failed | typeof consoleProblems.permission_denied>,
      403
    >

const READS = new Set(['GET', 'HEAD'])

/**
 * Handlers get `staff`, the signed-in person, and `act`, the only way to write. Declare routes with `consoleOperation`,
 * which checks the permission. @throws DomainError `session_required`, `csrf_failed`
 */
export const staff = <const Prefix extends string>(deps: StaffDeps, { prefix, tag }: Group<Prefix>) => {
  const recordUse = createUseRecorder(deps)
  return (
    new Elysia({ prefix, detail: describeGroup('staff', tag) })
      .use(uncachedInGroup())
      // A derive runs before validation: without a session the response is 401, not 422.
      .derive(async ({ request }) => {
        const confirmation = confirmationOf(request)
        if (confirmation) {
          const { requestedBy } = confirmation
          beginCall(request, { staff: requestedBy, confirmation })
          return withRefusals<Refusal>()({ staff: requestedBy, act: createAct(deps, request) })
        }
        const session = await requireSession(deps, request)
        requireOwnPage(request)
        if (!READS.has(request.method)) {
          requireSameOrigin(consoleConfigOf(deps), request)
          requireCsrfToken(session, request)
        }
        recordUse(session)
        beginCall(request, { staff: session.staff, session })
        return withRefusals<Refusal>()({ staff: session.staff, act: createAct(deps, request) })
      })
  )
}

async function requireSession(deps: StaffDeps, { headers }: Request): Promise<CurrentSession> {
  const token = readCookie(headers, cookieName(consoleConfigOf(deps).secure))
  const session = token === undefined ? null : await findSession(deps.db.read, token)
  if (token === undefined || session === null) throw new DomainError(consoleProblems.session_required)
  return { ...session, csrfToken: csrfTokenOf(token) }
}

function requireCsrfToken({ csrfToken }: CurrentSession, { headers }: Request): void {
  if (isSameSecret(headers.get('x-csrf-token') ?? '', csrfToken)) return
  throw new DomainError(consoleProblems.csrf_failed, {
    detail: 'Send X-CSRF-Token with the token of GET /api/session.',
  })
}
