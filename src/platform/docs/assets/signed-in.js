/** Which fan the page is signed in as, and whether the token still works. */

/** The claims of a JWT; null for anything else. */
export function claimsOf(token) {
  const [, payload] = String(token ?? '').split('.')
  if (!payload) return null
  try {
    const base64 = payload.replace(/-/g, '+').replace(/_/g, '/')
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    const claims = JSON.parse(new TextDecoder().decode(bytes))
    return typeof claims === 'object' ? claims : null
  } catch {
    return null
  }
}

/** The session of a fan. `authorized` is Swagger UI's: by security scheme, a pasted value or the response of the token endpoint. */
export function sessionOf({ serverKey: _, ...sessions }) {
  return Object.values(sessions)[0]
}

export function describeSession(authorized, { rejected, now }) {
  const session = sessionOf(authorized)
  if (!session) return { state: 'signedOut' }
  const { token, value } = session
  const accessToken = token?.access_token ?? value
  const claims = claimsOf(accessToken)
  const person = { ...claims, ...claimsOf(token?.id_token) }
  const name = person.name ?? person.preferred_username
  const fan = name && person.sub ? `${name} (${person.sub})` : (name ?? person.sub ?? 'an unnamed fan')
  const expired = typeof claims?.exp === 'number' && claims.exp * 1000 <= now
  return { state: expired || rejected === accessToken ? 'expired' : 'signedIn', fan, accessToken }
}

/** The longest delay of a timer, in milliseconds. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** A line about the session, and locks that say whether an operation gets a token. */
export function signedInPlugin(system) {
  const { React } = system
  const listeners = new Set()
  let rejected
  const reject = token => {
    rejected = token
    for (const listener of listeners) listener()
  }

  function Session({ authSelectors, authActions }) {
    const [, refresh] = React.useReducer(count => count + 1, 0)
    React.useEffect(() => {
      listeners.add(refresh)
      return () => listeners.delete(refresh)
    }, [])
    const session = describeSession(authSelectors.authorized().toJS(), { rejected, now: Date.now() })
    const expiresAt = (claimsOf(session.accessToken)?.exp ?? 0) * 1000
    React.useEffect(() => {
      if (expiresAt <= Date.now()) return undefined
      const timer = setTimeout(refresh, Math.min(expiresAt - Date.now() + 50, MAX_DELAY_MS))
      return () => clearTimeout(timer)
    }, [expiresAt])
    const signIn = () => authActions.showDefinitions(authSelectors.definitionsToAuthorize())
    const text = {
      signedOut: 'Not signed in.',
      signedIn: `Signed in as ${session.fan}.`,
      expired: `The token of ${session.fan} has expired or was revoked.`,
    }[session.state]
    return React.createElement(
      'p',
      { className: `session session-${session.state}`, role: 'status' },
      text,
      session.state === 'expired' &&
        React.createElement('button', { type: 'button', className: 'btn', onClick: signIn }, 'Sign in again'),
    )
  }

  return {
    components: { Session },
    /** For Swagger UI's `responseInterceptor`: a token that the API refuses is of no more use. */
    rootInjects: { rejectToken: reject },
    statePlugins: {
      auth: {
        wrapSelectors: {
          // `{}` marks optional authentication: it must not close the lock of a visitor who is not signed in.
          isAuthorized: () => (state, security) =>
            security?.some(
              requirement =>
                requirement.size > 0 &&
                requirement.keySeq().every(name => state.get('authorized')?.has(name) ?? false),
            ) ?? null,
        },
      },
    },
  }
}
