/** `/healthz`: the process is alive. `/readyz`: it can do its work, or says what is missing. */

import { Type } from '@sinclair/typebox'
import { type Database, DatabaseError } from '../../db/index.ts'
import { Closed } from '../core/schemas.ts'
import { anyone } from '../http/contract/group.ts'
import { operation } from '../http/contract/operation.ts'
import type { IdentityProvider } from '../identity-provider/provider.ts'

const Health = Closed(
  { status: Type.Literal('ok', { description: 'The process responds.' }) },
  { title: 'Health' },
)

const check = (description: string) =>
  Type.String({ description: `${description} \`ok\`, or what is wrong.`, examples: ['ok'] })

const Readiness = Closed(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')], {
      description: 'Whether to send requests here.',
    }),
    checks: Closed(
      {
        database: check('The database is reached and its schema is current.'),
        identityProvider: check('Keys to verify session tokens are held.'),
        process: Type.Optional(Type.Literal('stopping', { description: 'Only once it was told to stop.' })),
      },
      { description: 'What was checked, and what was found.' },
    ),
  },
  { title: 'Readiness' },
)

export const healthRoutes = ({
  db,
  identity,
  lifecycle,
}: {
  db: Database
  identity: IdentityProvider
  lifecycle: { stopping: boolean }
}) =>
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
        responses: { 200: Health },
        examples: { responses: { 200: { status: 'ok' } } },
      }),
    )
    .get(
      '/readyz',
      async ({ set, status }) => {
        // Recovers at once where it can; while keys are held, a probe waits for no provider.
        if (identity.problem() !== null) await identity.refresh()
        const checks = { database: await pingDatabase(db), identityProvider: identity.problem() ?? 'ok' }
        if (lifecycle.stopping) {
          set.headers['Retry-After'] = '1'
          return status(503, { status: 'not_ready', checks: { ...checks, process: 'stopping' } })
        }
        const ready = Object.values(checks).every(check => check === 'ok')
        if (!ready) set.headers['Retry-After'] = '1'
        return ready
          ? { status: 'ready' as const, checks }
          : status(503, { status: 'not_ready' as const, checks })
      },
      operation({
        id: 'getReadiness',
        summary: 'Can it do its work?',
        description: 'For readiness probes: 200 when every check is `ok`, else 503 with what is wrong.',
        probe: true,
        responses: { 200: Readiness, 503: Readiness },
        examples: {
          responses: {
            200: { status: 'ready', checks: { database: 'ok', identityProvider: 'ok' } },
            503: {
              status: 'not_ready',
              checks: { database: 'ok', identityProvider: 'its keys are not known yet' },
            },
          },
        },
      }),
    )

async function pingDatabase(db: Database): Promise<string> {
  try {
    await db.ping()
    return 'ok'
  } catch (error) {
    return error instanceof DatabaseError ? error.message : 'database cannot be read'
  }
}
