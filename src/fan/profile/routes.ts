import { Closed } from '../../core/schemas.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { findFans } from '../../identity/users/find-fans.ts'
import { exampleFoundFans, FanQuery, FoundFans, findQueryFaults } from '../../identity/users/found-fans.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { thrownBy } from './problems.generated.ts'
import { readProfile, updateProfile, upsertProfile } from './profile.ts'
import { exampleProfile, exampleProfileChange, exampleWritten, Profile, ProfileChange } from './schema.ts'

export const profileRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/profile', tag: 'User' })
    .get(
      '',
      ({ caller }) => readProfile(deps.db.read, caller),
      operation({
        id: 'readProfile',
        summary: 'Read your profile',
        description: 'The fields that you wrote, and the data of the identity provider.',
        query: Closed(LanguageQuery),
        responses: { 200: Profile },
        problems: thrownBy.readProfile,
        examples: { 200: exampleProfile },
      }),
    )
    .post(
      '',
      ({ body, status, write }) =>
        write(
          async (tx, fan) => {
            const { created, profile } = await upsertProfile(tx, fan, body)
            return status(created ? 201 : 200, profile)
          },
          { toChange: true },
        ),
      operation({
        id: 'writeProfile',
        summary: 'Write your profile',
        description:
          'The first request creates the record of the user. An omitted member keeps its value; null clears it.',
        query: Closed(LanguageQuery),
        body: ProfileChange,
        responses: { 200: Profile, 201: Profile },
        problems: thrownBy.writeProfile,
        examples: { body: exampleProfileChange, 200: exampleWritten, 201: exampleWritten },
      }),
    )
    .patch(
      '',
      ({ body, write }) => write((tx, fan) => updateProfile(tx, fan, body), { toChange: true }),
      operation({
        id: 'updateProfile',
        summary: 'Update fields of your profile',
        description: 'An omitted member keeps its value; null clears it.',
        query: Closed(LanguageQuery),
        body: ProfileChange,
        responses: { 200: Profile },
        problems: thrownBy.updateProfile,
        examples: { body: { bio: 'North stand, row 12.' }, 200: exampleWritten },
      }),
    )

export const fansRoutes = (deps: ServerDeps & { fanEmails: FanEmails | null }) =>
  servers(deps, { prefix: '/api/fans', tag: 'Server', scope: 'fans:read' }).get(
    '',
    async ({ query }) => ({ fans: await findFans(deps.db.read, deps.fanEmails, query) }),
    operation({
      id: 'findFans',
      summary: 'Find a fan',
      description:
        'By the subject at the provider, or by a verified e-mail address. The address must match completely; the case of ASCII letters does not matter. A newly verified address can take about a second to be found.',
      query: FanQuery,
      findErrors: findQueryFaults,
      responses: { 200: FoundFans },
      examples: { 200: exampleFoundFans },
    }),
  )
