import type { AuthenticatedCaller } from '../../core/caller.ts'
import type { Encryption } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import type { AppSources } from '../../core/sources.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { findProviderToken } from '../../identity/auth/provider-token.ts'
import type { Config } from '../../platform/config/config.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { settingsOf } from '../../platform/settings/settings.ts'
import { CompleteOnboarding, exampleOnboarding, exampleProfileChange, Onboarding } from '../profile/schema.ts'
import { completeOnboarding, type IdentityTerms, readOnboarding } from './onboarding.ts'
import { thrownBy } from './problems.generated.ts'

type OnboardingDeps = FanDeps & {
  config: Config
  randomBytes: AppSources['randomBytes']
  tokenEncryption: Encryption
}

export const onboardingRoutes = (deps: OnboardingDeps) =>
  fans(deps, { prefix: '/api/user/onboarding', tag: 'User' })
    .get(
      '',
      ({ caller }) => readOnboarding(deps.db.read, caller),
      operation({
        id: 'readOnboarding',
        summary: 'Read your onboarding',
        description: 'The status is `not_started` before the first write of a fan.',
        responses: { 200: Onboarding },
        examples: { 200: exampleOnboarding },
      }),
    )
    .post(
      '',
      ({ body, caller, write }) =>
        write(
          async (tx, fan, terms) => {
            const { onboardingPoints: points } = await settingsOf(tx)
            return completeOnboarding(tx, fan, body, { points, ...terms })
          },
          { prepare: () => askProvider(deps, caller), toChange: body.profile !== undefined },
        ),
      operation({
        id: 'completeOnboarding',
        summary: 'Complete your onboarding',
        description:
          'Grants the onboarding points and enrols the fan in the leaderboard, each at most once. A repeat returns the first completion with `alreadyCompleted: true` and changes nothing, not even the profile.',
        body: CompleteOnboarding,
        responses: { 200: Onboarding },
        problems: thrownBy.completeOnboarding,
        examples: { body: { profile: exampleProfileChange, joinLeaderboard: true }, 200: exampleOnboarding },
      }),
    )

/** The provider's data, or a sync to enqueue if the provider fails: its failure must not prevent the onboarding. */
async function askProvider(deps: OnboardingDeps, caller: AuthenticatedCaller): Promise<IdentityTerms> {
  const nothing = { claims: null, queuedSync: null }
  const { state, identitySync } = await readOnboarding(deps.db.read, caller)
  if (state === 'completed' && identitySync === 'synced') return nothing
  const found = await findProviderToken(deps.db.read, deps.tokenEncryption, caller)
  if (!found) return nothing
  try {
    const { claims } = await deps.identity.readUserData(found.token, caller.subject)
    return { claims, queuedSync: null }
  } catch (error) {
    // The provider would refuse the token in a later sync as well.
    if (!(error instanceof DomainError) || error.code === 'identity_provider_refused') return nothing
    const { retryAfter } = error.explanation
    const encryptedToken = deps.tokenEncryption.encrypt(found.token, caller.subject, deps.randomBytes(12))
    return { claims: null, queuedSync: { encryptedToken, tokenExpiresAt: found.expiresAt, retryAfter } }
  }
}
