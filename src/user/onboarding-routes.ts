import { Elysia } from 'elysia'
import { authenticate } from '../auth/authenticate.ts'
import type { Caller } from '../caller.ts'
import type { Deps } from '../deps.ts'
import { operation } from '../http/operation.ts'
import type { IdentityClaims } from '../identity/claims.ts'
import { completeOnboarding, readOnboarding } from './onboarding.ts'
import { CompleteOnboarding, exampleOnboarding, exampleProfileChange, Onboarding } from './schema.ts'

export const onboardingRoutes = (deps: Pick<Deps, 'db' | 'identity' | 'nativeTokens' | 'config'>) =>
  new Elysia({ name: 'matchday/onboarding', prefix: '/api/user/onboarding' })
    .use(authenticate(deps))
    .get(
      '',
      ({ caller }) => readOnboarding(deps.db.read, caller),
      operation({
        id: 'readOnboarding',
        summary: 'Read your onboarding',
        tag: 'User',
        caller: 'caller',
        data: 'read',
        answers: { 200: Onboarding },
        examples: { answers: { 200: exampleOnboarding } },
      }),
    )
    .post(
      '',
      async ({ caller, body }) => {
        // Asked before the unit of work, which must not wait for anybody else's machine.
        const claims = await claimsUnlessDown(deps, caller)
        const terms = { points: deps.config.onboardingPoints, claims }
        return deps.db.write(tx => completeOnboarding(tx, caller, body, terms))
      },
      operation({
        id: 'completeOnboarding',
        summary: 'Complete your onboarding',
        description:
          'Grants the onboarding points and enrols in the leaderboard, each at most once for ever. A repeat answers the first completion with `alreadyCompleted: true` and changes nothing, the profile included.',
        tag: 'User',
        caller: 'caller',
        data: 'write',
        body: CompleteOnboarding,
        answers: { 200: Onboarding },
        problems: ['handle_taken', 'team_not_found'],
        examples: {
          body: { profile: exampleProfileChange, joinLeaderboard: true },
          answers: { 200: exampleOnboarding },
        },
      }),
    )

/** The provider's data, or null: its failure must not keep a fan from onboarding. */
async function claimsUnlessDown(
  deps: Pick<Deps, 'db' | 'identity' | 'nativeTokens'>,
  caller: Caller,
): Promise<IdentityClaims | null> {
  const { state, identitySync } = await readOnboarding(deps.db.read, caller)
  if (state === 'completed' && identitySync === 'synced') return null
  try {
    return (await deps.identity.userinfo(caller.sessionToken, caller.subject)).claims
  } catch {
    return null
  }
}
