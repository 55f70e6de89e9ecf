/** Problems of the identity provider. */
import { defineProblems } from '../../core/problems.ts'

export const providerProblems = defineProblems({
  identity_provider_unavailable: {
    status: 503,
    title: 'The identity provider is not available; try again shortly',
    description:
      'The identity provider does not respond, or its signing keys are not known yet. Send the request again after `Retry-After`.',
  },
  identity_provider_invalid: {
    status: 502,
    title: 'The identity provider sent an invalid response',
    description:
      'The identity provider responded with data that cannot be used. A retry does not help until the operator has corrected the configuration or the provider.',
  },
  identity_provider_refused: {
    status: 502,
    title: 'The identity provider refused the token',
    description:
      'The userinfo endpoint of the identity provider refused the session token. Sign the user in again; if the error persists, the operator can set `IDP_USER_DATA=token`.',
  },
})
