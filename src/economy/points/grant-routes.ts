import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { Grant, grantPoints } from './grants.ts'
import { thrownBy } from './problems.generated.ts'
import { GrantResult } from './schema.ts'

type GrantDeps = ServerDeps & { config: { identity: { name: string } }; fanEmails: FanEmails | null }

const exampleGrant = {
  entry: {
    id: '01981e2c-7c1f-7000-8000-000000000002',
    seq: 2,
    delta: 250,
    balanceAfter: 350,
    reason: 'adjustment',
    ref: 'season-ticket-2026-4711',
    createdAt: '2026-08-15T18:30:00.000Z',
    hash: '9f2c1d5ab0c0f0f5b8d1d3a5e7c9b1a3d5f7e9c1b3a5d7f9e1c3b5a7d9f1e3c5',
  },
  balance: 350,
}

export const grantRoutes = (deps: GrantDeps) =>
  servers(deps, { prefix: '/api/points/grants', tag: 'Server', scope: 'points:write' }).post(
    '',
    ({ body, source, status, write }) =>
      write(async tx => {
        const granter = { source, provider: deps.config.identity.name, fanEmails: deps.fanEmails }
        const { created, ...granted } = await grantPoints(tx, granter, body)
        return status(created ? 201 : 200, granted)
      }),
    operation({
      id: 'grantPoints',
      summary: 'Grant or take points',
      description:
        'Books points once per `ref`, with the reason `adjustment`. A repeat for the same fan and the same points is 200 with the first entry. Taking points reduces only the balance, not the lifetime points or ranks.',
      body: Grant,
      responses: { 200: GrantResult, 201: GrantResult },
      problems: thrownBy.grantPoints,
      examples: {
        body: {
          fan: { provider: 'mock-idp', subject: 'fan-0001' },
          delta: 250,
          ref: 'season-ticket-2026-4711',
        },
        201: exampleGrant,
        200: exampleGrant,
      },
    }),
  )
