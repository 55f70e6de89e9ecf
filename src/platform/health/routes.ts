/** `/healthz`: the process is alive. `/readyz`: it can do its work, or says what is missing. */

import type { Logger } from 'pino'
import { type Database, DatabaseError, describeDatabaseError } from '../../../db/index.ts'
import { Closed, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { anyone } from '../http/contract/group.ts'
import { operation } from '../http/contract/operation.ts'
import { uncachedInGroup } from '../http/edge/server-hooks.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'

const Health = Closed(
  { status: Type.Literal('ok', { description: 'The process responds.' }) },
  { title: 'Health' },
)

const check = (description: string) =>
  Type.String({ description: `${description} \`ok\`, or what is wrong.`, examples: ['ok'] })

/** The schema of a notice, which operators must know although the process can work. */
const notice = (description: string, example: string) =>
  Type.Optional(
    Type.String({ description: `Only ${description} Does not affect the status.`, examples: [example] }),
  )

const Readiness = Closed(
  {
    status: OneOf(['ready', 'not_ready'], { description: 'Whether the server accepts requests.' }),
    checks: Closed(
      {
        database: check('The database is reached and its schema is current.'),
        identityProvider: check('The keys that verify session tokens are loaded.'),
        webhooks: notice('when endpoints of webhooks were disabled because they failed.', 'disabled: 1'),
        eventSink: notice(
          'when events have waited for the event sink for a minute.',
          'behind by 1200 events, since 2026-08-15T18:30:00.000Z',
        ),
        replica: notice(
          'while the replica is not used and the primary serves public reads.',
          'not used: behind the primary',
        ),
        process: Type.Optional(
          Type.Literal('stopping', { description: 'Present while the server shuts down.' }),
        ),
      },
      { description: 'What was checked, and what was found.' },
    ),
  },
  { title: 'Readiness' },
)

interface HealthDeps {
  db: Database
  log: Logger
  identity: IdentityProvider
  lifecycle: { stopping: boolean }
  /** What operators must know though the process can do its work, by check. Left out: what cannot be read. */
  readNotices(): Promise<{ webhooks?: string; eventSink?: string; replica?: string }>
}

export function healthRoutes({ db, identity, lifecycle, log, readNotices }: HealthDeps) {
  /** Probes themselves are logged at `debug`: a line says when their response changes. */
  let wasReady = true
  function noteReadiness(isReady: boolean, checks: object): void {
    if (isReady === wasReady) return
    wasReady = isReady
    if (isReady) log.info({ checks }, 'ready again')
    else log.warn({ checks }, 'not ready')
  }
  const checkDatabase = databaseCheck(db, log)

  return anyone({ prefix: '', tag: 'Operations' })
    .use(uncachedInGroup())
    .get(
      '/healthz',
      () => ({ status: 'ok' as const }),
      operation({
        id: 'getHealth',
        summary: 'Check that the process is alive',
        description: 'For liveness probes. Does not check the database.',
        probe: true,
        data: 'none',
        responses: { 200: Health },
        examples: { 200: { status: 'ok' } },
      }),
    )
    .get(
      '/readyz',
      async ({ set, status }) => {
        // Tries to recover at once; while keys are available, a probe does not wait for the provider.
        if (identity.problem() !== null) await identity.refresh()
        const needed = { database: await checkDatabase(), identityProvider: identity.problem() ?? 'ok' }
        const checks = {
          ...needed,
          ...(needed.database === 'ok' ? await readNotices() : {}),
          ...(lifecycle.stopping ? { process: 'stopping' as const } : {}),
        }
        const isReady = !lifecycle.stopping && Object.values(needed).every(check => check === 'ok')
        noteReadiness(isReady, checks)
        if (isReady) return { status: 'ready' as const, checks }
        set.headers['Retry-After'] = '1'
        return status(503, { status: 'not_ready' as const, checks })
      },
      operation({
        id: 'getReadiness',
        summary: 'Check that the server is ready for requests',
        description: 'For readiness probes: 200 when every check is `ok`, else 503 with what is wrong.',
        probe: true,
        data: 'none',
        responses: { 200: Readiness, 503: Readiness },
        examples: {
          200: { status: 'ready', checks: { database: 'ok', identityProvider: 'ok' } },
          503: {
            status: 'not_ready',
            checks: { database: 'ok', identityProvider: 'its keys are not known yet' },
          },
        },
      }),
    )
}

/** Logs why the database cannot be used, once while the reason stays the same: the response, which anyone can read, omits it. */
function databaseCheck(db: Database, log: Logger) {
  let logged: string | undefined
  return async (): Promise<string> => {
    try {
      await db.ping()
      if (logged !== undefined) log.info('the database can be used again')
      logged = undefined
      return 'ok'
    } catch (error) {
      const found = describeDatabaseError(error)
      const reason = error instanceof DatabaseError ? error.message : found
      if (reason !== logged) log.error({ reason, error }, 'the database cannot be used')
      logged = reason
      return found
    }
  }
}
