/** A group of server routes that only tests have, in front of it the hooks of the application. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { teamProblems } from '../../../src/club/teams/problems.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { Closed } from '../../../src/core/schemas.ts'
import { servers } from '../../../src/identity/server-keys/group.ts'
import { operation } from '../../../src/platform/http/contract/operation.ts'
import { routeFacts } from '../../../src/platform/http/edge/route-facts.ts'
import { serverHooks } from '../../../src/platform/http/edge/server-hooks.ts'
import { type Client, createClient } from '../../support/client.ts'
import type { World } from '../../support/world.ts'

type ProbeDeps = Pick<World['deps'], keyof Parameters<typeof serverHooks>[0]>

/**
 * `GET /probe` is conditional. `POST /probe` requires `events:write` and answers the source; with `{ keep: true }` it writes a team and then refuses
 * with `team_not_found`, as it does with `{ keep: false }`, which throws inside the unit of work.
 */
export function createProbe(deps: ProbeDeps): (key?: string) => Client {
  const group = servers(deps, { prefix: '/probe', tag: 'Server', scope: 'events:write' })
    .post(
      '',
      async ({ body: { keep }, source, write }) => {
        if (keep === undefined) return { source }
        return write(async tx => {
          const at = tx.now()
          const columns = { name: 'Kept', shortName: 'KPT', active: true, createdAt: at, updatedAt: at }
          await tx.insert(tx.tables.teams).values({ ...columns, id: `kept-${keep}` })
          const problem = new DomainError(teamProblems.team_not_found)
          if (!keep) throw problem
          return problem
        })
      },
      operation({
        id: 'probe',
        summary: 'Probe',
        limit: 'redemptions',
        body: Closed({ keep: Type.Optional(Type.Boolean()) }),
        responses: { 200: Closed({ source: Type.String() }) },
        problems: [teamProblems.team_not_found],
      }),
    )
    .get(
      '',
      ({ source }) => ({ source }),
      operation({
        id: 'readProbe',
        summary: 'Read the probe',
        conditional: true,
        responses: { 200: Closed({ source: Type.String() }) },
      }),
    )
  const facts = routeFacts(group.routes)
  const app = new Elysia({ normalize: false })
    .use(
      serverHooks(deps, {
        allowedMethods: () => ['POST'],
        templateOf: () => '/probe',
        peerOf: () => undefined,
        facts,
      }),
    )
    .use(group)
  return key =>
    createClient(
      request => app.handle(request),
      () => null,
      key,
    )
}
