import { isIP } from 'node:net'
import { attempt } from '../../core/attempt.ts'
import { isInternalHost } from '../../core/ssrf-guard.ts'
import { type EnvironmentReader, splitList } from './environment.ts'
import { readWebhookSecret } from './secrets.ts'

/** Outlasts an outage of a night and a morning. Longer, and a key that the provider retired meanwhile would be trusted too long. */
const KEYS_USABLE_MS = 24 * 3_600_000

export type IdentityConfig = ReturnType<typeof readIdentityConfig>

/** How the tokens of the identity provider are verified, and which endpoints it has. */
export function readIdentityConfig(reader: EnvironmentReader) {
  const allowPrivate = readHostNames(reader, 'IDP_ALLOW_PRIVATE')
  const jwksUrl = readUrl(reader, 'IDP_JWKS_URL', allowPrivate)
  const name = reader.required('IDP_NAME')
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) {
    reader.refuse(
      'IDP_NAME',
      'must be 1 to 32 of a-z, 0-9 and -, since it names the path /api/user/sync-IDP_NAME',
    )
  }
  return {
    /** `iss` of its tokens, without a trailing slash. An OpenID Connect issuer, unless `jwksUrl` is given. */
    issuer: readIssuer(reader, jwksUrl !== null, allowPrivate),
    /** A token must be for one of them. The first is the client of native tokens whose provider names none. */
    audiences: readAudiences(reader),
    /** The claim that holds the audience: `aud`, unless the provider uses another one. */
    audienceClaim: reader.text('IDP_AUDIENCE_CLAIM') ?? 'aud',
    /** The required `typ` of the token's header; null accepts any. */
    tokenTyp: readTokenTyp(reader),
    /** Claims that the token must have: with exactly this value, or with any value if null. */
    requiredClaims: readRequiredClaims(reader),
    /** Accepted values of `client_id` and `azp`. Empty accepts any client. */
    allowedClients: reader.list('IDP_ALLOWED_CLIENTS', ','),
    /** Scopes that the token must have. */
    requiredScopes: reader.list('IDP_REQUIRED_SCOPES', ' '),
    /** Appears in the path of the sync operation and as `provider` in profiles. */
    name,
    /** For providers without discovery. */
    jwksUrl,
    userinfoUrl: readUrl(reader, 'IDP_USERINFO_URL', allowPrivate),
    /** Source of the mirrored data: the userinfo endpoint, or the claims of the session token. */
    userData: reader.oneOf('IDP_USER_DATA', ['userinfo', 'token']),
    /** The claim with the age band of a fan (`under_13`, `13_15`, `16_17`, `adult`); null for none. */
    ageClaim: reader.text('IDP_AGE_CLAIM') ?? null,
    /** How long the last valid key set is used while the provider is down. Milliseconds. */
    keysUsableMs: KEYS_USABLE_MS,
    /** Standard Webhooks secret: `whsec_` and base64. */
    webhookSecret: readWebhookSecret(reader),
    /** Set in production: no requests to loopback or private addresses. */
    publicOnly: reader.production,
    /** Host names of the provider to which that does not apply. */
    allowPrivate,
    /** Whether the problem of a refused token names the expected and the received claim: in development only. */
    explainTokens: reader.text('NODE_ENV') === 'development',
  }
}

/** Without discovery the issuer is only compared, so it may be any text. */
function readIssuer(reader: EnvironmentReader, anyText: boolean, allowPrivate: string[]): string {
  const issuer = reader.required('IDP_ISSUER').replace(/\/+$/, '')
  if (!anyText) checkUrl(reader, 'IDP_ISSUER', issuer, allowPrivate)
  return issuer
}

function readAudiences(reader: EnvironmentReader): [string, ...string[]] {
  const [first = '', ...others] = splitList(reader.required('IDP_AUDIENCE'), ',')
  if (first === '') reader.refuse('IDP_AUDIENCE', 'must be an audience, or several, separated by commas')
  return [first, ...others]
}

/** Names only: an address does not identify a server, and certificates are issued for names. */
export function readHostNames(reader: EnvironmentReader, variable: string): string[] {
  const names = reader.list(variable, ',').map(name => name.toLowerCase())
  for (const name of names) {
    const isName = /^[a-z0-9.-]+$/.test(name) && URL.parse(`https://${name}/`)?.hostname === name
    if (!isName || isIP(name) !== 0) reader.refuse(variable, 'must be host names, separated by commas')
  }
  return names
}

function readUrl(reader: EnvironmentReader, name: string, allowPrivate: string[]): string | null {
  const value = reader.text(name)
  if (value !== undefined) checkUrl(reader, name, value, allowPrivate)
  return value ?? null
}

function checkUrl(reader: EnvironmentReader, name: string, value: string, allowPrivate: string[]): void {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) reader.refuse(name, 'must be an http(s) URL')
  else if (url.username || url.search || url.hash) {
    reader.refuse(name, 'must be without credentials, query and fragment')
  } else if (reader.production && reader.text(name) && url.protocol !== 'https:') {
    reader.refuse(name, 'must be https in production')
  } else if (
    reader.production &&
    reader.text(name) &&
    isInternalHost(url.hostname) &&
    !allowPrivate.includes(url.hostname)
  ) {
    reader.refuse(
      name,
      'must not be a loopback or private address in production; IDP_ALLOW_PRIVATE lists host names that may be private',
    )
  }
}

/** `none` is for providers whose tokens carry no `typ`. */
function readTokenTyp(reader: EnvironmentReader): string | null {
  const value = reader.text('IDP_TOKEN_TYP') ?? 'at+jwt'
  return value.toLowerCase() === 'none' ? null : value
}

/** Such as `token_use=access,v=2,sid`: exact values, or any value. */
function readRequiredClaims(reader: EnvironmentReader): Record<string, string | number | boolean | null> {
  const claims = (reader.text('IDP_REQUIRED_CLAIMS') ?? '').split(',').filter(Boolean)
  const parsed = claims.map(claim => {
    const [name = '', value, ...more] = claim.split('=').map(part => part.trim())
    if (!name || value === '' || more.length > 0) {
      reader.refuse('IDP_REQUIRED_CLAIMS', 'must be name=value pairs or names, separated by commas')
    }
    const required = value === undefined ? null : readClaimValue(value)
    if (typeof required === 'number' && !Number.isSafeInteger(required)) {
      reader.refuse('IDP_REQUIRED_CLAIMS', 'must have whole numbers up to 2^53 - 1; put text in quotes')
    }
    return [name, required] as const
  })
  return Object.fromEntries(parsed)
}

/** A JSON boolean, number or string; anything else is taken as a string. */
function readClaimValue(value: string): string | number | boolean {
  const json: unknown = attempt(() => JSON.parse(value))
  return typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean' ? json : value
}
