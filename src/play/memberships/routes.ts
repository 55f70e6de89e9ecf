import { Elysia } from 'elysia'
import { Closed } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { Nothing, operation } from '../../platform/http/contract/operation.ts'
import { deleteMembership, listMemberships, writeMembership } from './memberships.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type MembershipDeps = FanDeps &
  ServerDeps & { config: { identity: { name: string } }; fanEmails: FanEmails | null }

const serverRoutes = (deps: MembershipDeps) =>
  servers(deps, { prefix: '/api/memberships', tag: 'Server', scope: 'memberships:write' })
    .put(
      '/:ref',
      ({ body, params, status, write }) =>
        write(async tx => {
          const naming = { provider: deps.config.identity.name, fanEmails: deps.fanEmails }
          const { created, membership } = await writeMembership(tx, naming, params.ref, body)
          return status(created ? 201 : 200, membership)
        }),
      operation({
        id: 'writeMembership',
        summary: 'Write a membership of a fan',
        description:
          'The fan is the one who attends, not the one who paid. A repeat with the same content changes nothing; other content replaces it. A later `endsAt`, or another membership of the kind that follows without a gap, renews it and keeps `since`.',
        params: schema.MembershipParams,
        query: Closed(LanguageQuery),
        body: schema.MembershipUpdate,
        responses: { 200: schema.Membership, 201: schema.Membership },
        problems: thrownBy.writeMembership,
        examples: {
          body: {
            fan: { provider: 'mock-idp', subject: 'fan-0001' },
            kindId: 'season-ticket',
            number: '004711',
            holder: 'Ada Okafor',
            startsAt: '2026-07-01T00:00:00Z',
            endsAt: '2027-07-01T00:00:00Z',
          },
          200: schema.exampleMembership,
          201: schema.exampleMembership,
        },
      }),
    )
    .delete(
      '/:ref',
      ({ params, status, write }) =>
        write(async tx => {
          await deleteMembership(tx, params.ref)
          return status(204, undefined)
        }),
      operation({
        id: 'endMembership',
        summary: 'End a membership',
        description: 'Ends it now. A membership that has ended stays as it is.',
        params: schema.MembershipParams,
        body: Nothing,
        data: 'write',
        responses: { 204: Type.Void({ description: 'It has ended.' }) },
        problems: thrownBy.endMembership,
      }),
    )

const fanRoutes = (deps: MembershipDeps) =>
  fans(deps, { prefix: '/api/user/memberships', tag: 'Memberships' }).get(
    '',
    ({ caller }) => listMemberships(deps.db.read, caller),
    operation({
      id: 'listMemberships',
      summary: 'List your memberships',
      description: 'Season tickets and other memberships, upcoming and ended ones included. Newest first.',
      query: Closed(LanguageQuery),
      responses: { 200: schema.Memberships },
      examples: { 200: { memberships: [schema.exampleMembership] } },
    }),
  )

export const membershipsRoutes = (deps: MembershipDeps) =>
  new Elysia({ name: 'matchday/memberships-routes' }).use(serverRoutes(deps)).use(fanRoutes(deps))
