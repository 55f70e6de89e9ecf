import { type Client, findClient, isRegisteredRedirect } from './clients.ts'
import { type Parameters, readParameters } from './form.ts'
import { invalidRequest, OAuthError } from './oauth-error.ts'
import { grantScope } from './scopes.ts'

/** A valid authorization request (RFC 6749 §4.1.1, RFC 7636, OpenID Connect Core §3.1.2.1). */
export interface AuthorizeRequest {
  client: Client
  redirectUri: string
  /** Granted, space separated. */
  scope: string
  challenge: string
  prompts: string[]
  /** Maximum age of a sign-in in seconds. */
  maxAge?: number
  state?: string
  nonce?: string
  loginHint?: string
  /** As sent. The sign-in page repeats them in its forms and links. */
  parameters: Parameters
}

/** An error that goes back to the client by redirect (RFC 6749 §4.1.2.1). */
export class AuthorizeError extends Error {
  override name = 'AuthorizeError'

  constructor(
    readonly error: string,
    readonly description: string,
    readonly request: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  ) {
    super(description)
  }
}

const repeated =
  /^(client_id|redirect_uri|response_(type|mode)|scope|state|nonce|prompt|max_age|login_hint|code_challenge(_method)?)$/
const prompts = ['none', 'login', 'select_account', 'consent']

/**
 * Validates the parameters of an authorization request, from a query or a form.
 * @throws OAuthError 400 for an unknown client or redirect URI: shown to the user, never redirected
 * @throws AuthorizeError for every other error
 */
export function parseAuthorizeRequest(source: URLSearchParams): AuthorizeRequest {
  const all = readParameters(source)
  const client = findClient(all.get('client_id'))
  if (!client) throw invalidRequest('The client_id must be matchday-swagger or matchday-app.')
  const redirectUri = all.get('redirect_uri')
  if (redirectUri === undefined || !isRegisteredRedirect(client, redirectUri)) {
    const allowed = [
      'http://localhost, http://127.0.0.1 or http://[::1] with any port',
      ...client.schemes.map(s => `${s}://`),
    ]
    throw invalidRequest(`The redirect_uri is not registered. ${client.id} may use ${allowed.join(', or ')}.`)
  }
  const state = all.get('state')
  const refuse = (error: string, description: string) =>
    new AuthorizeError(error, description, { redirectUri, state })
  checkResponse(all, refuse)
  const challenge = all.get('code_challenge') ?? ''
  if (all.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge)) {
    throw refuse('invalid_request', 'PKCE is required: code_challenge with code_challenge_method=S256.')
  }
  const requested = (all.get('prompt') ?? '').split(' ').filter(Boolean)
  if (
    requested.some(prompt => !prompts.includes(prompt)) ||
    (requested.includes('none') && requested.length > 1)
  ) {
    throw refuse('invalid_request', `prompt is one of ${prompts.join(', ')}; none cannot be combined.`)
  }
  const maxAge = all.get('max_age')
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
    throw refuse('invalid_request', 'max_age is in whole seconds.')
  return {
    client,
    redirectUri,
    scope: parseScope(all.get('scope'), refuse),
    challenge,
    prompts: requested,
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    state,
    nonce: all.get('nonce'),
    loginHint: all.get('login_hint'),
    parameters: new Map([...all].filter(([name]) => repeated.test(name))),
  }
}

type Refuse = (error: string, description: string) => AuthorizeError

function checkResponse(all: Parameters, refuse: Refuse): void {
  if (all.has('request')) throw refuse('request_not_supported', 'Send the parameters themselves.')
  if (all.has('request_uri')) throw refuse('request_uri_not_supported', 'Send the parameters themselves.')
  const type = all.get('response_type')
  if (type === undefined) throw refuse('invalid_request', 'The parameter response_type is missing.')
  if (type !== 'code') throw refuse('unsupported_response_type', 'The response_type is code.')
  if ((all.get('response_mode') ?? 'query') !== 'query')
    throw refuse('invalid_request', 'The response_mode is query.')
}

function parseScope(requested: string | undefined, refuse: Refuse): string {
  try {
    return grantScope(requested)
  } catch (error) {
    if (error instanceof OAuthError) throw refuse(error.error, error.description)
    throw error
  }
}
