import { Elysia } from 'elysia'
import { type AuthDeps, authenticate } from '../auth/authenticate.ts'
import { operation } from '../http/contract/operation.ts'
import { type MutationDeps, mutate } from '../http/idempotency/idempotency.ts'
import { readProfile, updateProfile, upsertProfile } from './profile.ts'
import { exampleProfile, exampleProfileChange, Profile, ProfileChange } from './schema.ts'

export const profileRoutes = (deps: AuthDeps & MutationDeps) =>
  new Elysia({ name: 'matchday/profile', prefix: '/api/user/profile' })
    .use(authenticate(deps))
    .get(
      '',
      ({ caller }) => readProfile(deps.db.read, caller),
      operation({
        id: 'readProfile',
        summary: 'Read your profile',
        tag: 'User',
        caller: 'caller',
        data: 'read',
        answers: { 200: Profile },
        problems: ['profile_not_found'],
        examples: { answers: { 200: exampleProfile } },
      }),
    )
    .post(
      '',
      ({ body, caller, request, route, set, status }) =>
        mutate(deps, { body, caller, request, route, set }, async tx => {
          const { created, profile } = await upsertProfile(tx, caller, body)
          return status(created ? 201 : 200, profile)
        }),
      operation({
        id: 'writeProfile',
        summary: 'Write your profile',
        description:
          'Makes the user record at the first time. A member left out stays as it is; null clears it.',
        tag: 'User',
        caller: 'caller',
        data: 'write',
        body: ProfileChange,
        answers: { 200: Profile, 201: Profile },
        problems: ['handle_taken', 'team_not_found'],
        examples: { body: exampleProfileChange, answers: { 200: exampleProfile, 201: exampleProfile } },
      }),
    )
    .patch(
      '',
      ({ body, caller, request, route, set }) =>
        mutate(deps, { body, caller, request, route, set }, tx => updateProfile(tx, caller, body)),
      operation({
        id: 'updateProfile',
        summary: 'Update fields of your profile',
        description: 'A member left out stays as it is; null clears it.',
        tag: 'User',
        caller: 'caller',
        data: 'write',
        body: ProfileChange,
        answers: { 200: Profile },
        problems: ['profile_not_found', 'handle_taken', 'team_not_found'],
        examples: { body: { bio: 'North stand, row 12.' }, answers: { 200: exampleProfile } },
      }),
    )
