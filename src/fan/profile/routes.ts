import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { thrownBy } from './problems.generated.ts'
import { readProfile, updateProfile, upsertProfile } from './profile.ts'
import { exampleProfile, exampleProfileChange, Profile, ProfileChange } from './schema.ts'

export const profileRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/profile', tag: 'User' })
    .get(
      '',
      ({ caller }) => readProfile(deps.db.read, caller),
      operation({
        id: 'readProfile',
        summary: 'Read your profile',
        description: 'The fields that you wrote, and the data of the identity provider.',
        responses: { 200: Profile },
        problems: thrownBy.readProfile,
        examples: { 200: exampleProfile },
      }),
    )
    .post(
      '',
      ({ body, status, write }) =>
        write(async (tx, fan) => {
          const { created, profile } = await upsertProfile(tx, fan, body)
          return status(created ? 201 : 200, profile)
        }),
      operation({
        id: 'writeProfile',
        summary: 'Write your profile',
        description:
          'The first request creates the record of the user. A member left out stays as it is; null clears it.',
        body: ProfileChange,
        responses: { 200: Profile, 201: Profile },
        problems: thrownBy.writeProfile,
        examples: { body: exampleProfileChange, 200: exampleProfile, 201: exampleProfile },
      }),
    )
    .patch(
      '',
      ({ body, write }) => write((tx, fan) => updateProfile(tx, fan, body)),
      operation({
        id: 'updateProfile',
        summary: 'Update fields of your profile',
        description: 'An omitted member keeps its value; null clears it.',
        body: ProfileChange,
        responses: { 200: Profile },
        problems: thrownBy.updateProfile,
        examples: { body: { bio: 'North stand, row 12.' }, 200: exampleProfile },
      }),
    )
