/** Shared objects of the app: the client with its cache, and the sign-in at the identity provider. */
import { keepIn } from '@matchday/client'
import { createMatchday } from '@matchday/react'
import { UserManager } from 'oidc-client-ts'

export const matchday = createMatchday({ origin: 'http://localhost:3000', store: keepIn(localStorage) })

export const users = new UserManager({
  authority: 'http://localhost:4000',
  client_id: 'matchday-app',
  redirect_uri: location.origin + location.pathname,
  scope: 'openid profile email',
  // The native token of Matchday is refreshed instead.
  automaticSilentRenew: false,
})
