/** `/healthz`: the process is alive. `/readyz`: it can do its work, or says what is missing. */

import { Type } from '@sinclair/typebox'
import { type Database, describeDatabaseError } from '../../db/index.ts'
import { Closed, OneOf } from '../core/schemas.ts'
import { anyone } from '../http/contract/group.ts'
import { operation } from '../http/contract/operation.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'

const Health = Closed(
  { status: Type.Literal('ok', { description: 'The process responds.' }) },
  { title: 'Health' },
)

const check = (description: string) =>
  Type.String({ description: `${description} \`ok\`, or what is wrong.`, examples: ['ok'] })

/** Of a notice, which operators must know though the process can do its work. */
const notice = (description: string, example: string) =>
  Type.Optional(
    Type.String({ description: `Only ${description} Does not affect the status.`, examples: [example] }),
  )

const Readiness = Closed(
  {
    status: OneOf(['ready', 'not_ready'], { description: 'Whether to send requests here.' }),
    checks: Closed(
      {
        database: check('The database is reached and its schema is current.'),
        identityProvider: check('Keys to verify session tokens are held.'),
        webhooks: notice(
          'when endpoints of webhooks were disabled because they failed.',
          'disabled: 01981e2c-7c1f-7000-8000-000000000003 (failing)',
        ),
        eventSink: notice(
          'when events wait for the event sink for a minute.',
          'behind by 1200 events, since 2026-08-15T18:30:00.000Z',
        ),
        replica: notice(
          'while the replica for public reads is not used, which the primary then serves.',
          'not used: behind the primary',
        ),
        process: Type.Optional(Type.Literal('stopping', { description: 'Only once it was told to stop.' })),
      },
      { description: 'What was checked, and what was found.' },
    ),
  },
  { title: 'Readiness' },
)

interface HealthDeps {
  db: Database
  identity: IdentityProvider
  lifecycle: { stopping: boolean }
  /** What operators must know though the process can do its work, by check. Left out: what cannot be read. */
  readNotices(): Promise<{ webhooks?: string; eventSink?: string; replica?: string }>
}

export const healthRoutes = ({ db, identity, lifecycle, readNotices }: HealthDeps) =>
  anyone({ prefix: '', tag: 'Operations' })
    .onBeforeHandle(({ set }) => {
      set.headers['Cache-Control'] = 'no-store'
    })
    .get(
      '/healthz',
      () => ({ status: 'ok' as const }),
      operation({
        id: 'getHealth',
        summary: 'Is the process alive?',
        description: 'For liveness probes: reads nothing, and so says nothing of the database.',
        probe: true,
        data: 'none',
        responses: { 200: Health },
        examples: { 200: { status: 'ok' } },
      }),
    )
    .get(
      '/readyz',
      async ({ set, status }) => {
        // Recovers at once where it can; while keys are held, a probe waits for no provider.
        if (identity.problem() !== null) await identity.refresh()
        const needed = { database: await checkDatabase(db), identityProvider: identity.problem() ?? 'ok' }
        const checks = {
          ...needed,
          ...(needed.database === 'ok' ? await readNotices() : {}),
          ...(lifecycle.stopping ? { process: 'stopping' as const } : {}),
        }
        if (!lifecycle.stopping && Object.values(needed).every(check => check === 'ok'))
          return { status: 'ready' as const, checks }
        set.headers['Retry-After'] = '1'
        return status(503, { status: 'not_ready' as const, checks })
      },
      operation({
        id: 'getReadiness',
        summary: 'Can it do its work?',
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

async function checkDatabase(db: Database): Promise<string> {
  try {
    await db.ping()
    return 'ok'
  } catch (error) {
    return describeDatabaseError(error)
  }
}
