import { isInternalHost } from '../core/ssrf-guard.ts'
import type { Reader } from './reader.ts'
import { readWebhookSecret } from './secrets.ts'

/** How the tokens of the identity provider are judged, and where it is asked. */
export interface IdentityConfig {
  /** `iss` of its tokens, without a trailing slash. An OpenID Connect issuer, unless `jwksUrl` is given. */
  issuer: string
  audience: string
  /** The claim that holds the audience: `aud`, or what a provider uses instead. */
  audienceClaim: string
  /** `typ` that a token's header must carry; null accepts any. */
  tokenTyp: string | null
  /** Claims that a token must hold: with this value of this type, or, where null, with any value. */
  requiredClaims: Record<string, string | number | boolean | null>
  /** Clients, by `client_id` or `azp`, whose tokens are accepted; empty accepts all. */
  allowedClients: string[]
  /** Scopes that a token must be granted. */
  requiredScopes: string[]
  /** Names the sync path and the `provider` of a profile. */
  name: string
  /** Instead of discovery, for providers that have none. */
  jwksUrl: string | null
  userinfoUrl: string | null
  /** Where the mirror's data comes from: the userinfo endpoint, or the claims of the token itself. */
  userData: 'userinfo' | 'token'
  /** How long the last good key set is used while the provider does not answer. Milliseconds. */
  keysUsableMs: number
  /** Standard Webhooks secret, `whsec_` and base64. */
  webhookSecret: string
  /** In production the provider is not called at a loopback or private address. */
  publicOnly: boolean
}

export function readIdentityConfig(reader: Reader): IdentityConfig {
  const jwksUrl = readUrl(reader, 'IDP_JWKS_URL')
  const name = reader.required('IDP_NAME')
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) {
    reader.refuse(
      'IDP_NAME',
      'must be 1 to 32 of a-z, 0-9 and -, since it names the path /api/user/sync-IDP_NAME',
    )
  }
  return {
    issuer: readIssuer(reader, jwksUrl !== null),
    audience: reader.required('IDP_AUDIENCE'),
    audienceClaim: reader.text('IDP_AUDIENCE_CLAIM') ?? 'aud',
    tokenTyp: readTokenTyp(reader),
    requiredClaims: readRequiredClaims(reader),
    allowedClients: readList(reader, 'IDP_ALLOWED_CLIENTS', ','),
    requiredScopes: readList(reader, 'IDP_REQUIRED_SCOPES', ' '),
    name,
    jwksUrl,
    userinfoUrl: readUrl(reader, 'IDP_USERINFO_URL'),
    userData: reader.oneOf('IDP_USER_DATA', ['userinfo', 'token']),
    keysUsableMs: reader.integer('IDP_KEYS_USABLE_HOURS', 24, 1, 720) * 3_600_000,
    webhookSecret: readWebhookSecret(reader),
    publicOnly: reader.production,
  }
}

/** Without discovery the issuer is only compared, and may be any text. */
function readIssuer(reader: Reader, anyText: boolean): string {
  const issuer = reader.required('IDP_ISSUER').replace(/\/+$/, '')
  if (!anyText) checkUrl(reader, 'IDP_ISSUER', issuer)
  return issuer
}

function readUrl(reader: Reader, name: string): string | null {
  const value = reader.text(name)
  if (value !== undefined) checkUrl(reader, name, value)
  return value ?? null
}

function checkUrl(reader: Reader, name: string, value: string): void {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) reader.refuse(name, 'must be an http(s) URL')
  else if (url.username || url.search || url.hash) {
    reader.refuse(name, 'must be without credentials, query and fragment')
  } else if (reader.production && reader.text(name) && url.protocol !== 'https:') {
    reader.refuse(name, 'must be https in production')
  } else if (reader.production && reader.text(name) && isInternalHost(url.hostname)) {
    reader.refuse(name, 'must not be a loopback or private address in production')
  }
}

/** `none` is for providers whose tokens carry no `typ`. */
function readTokenTyp(reader: Reader): string | null {
  const value = reader.text('IDP_TOKEN_TYP') ?? 'at+jwt'
  return value.toLowerCase() === 'none' ? null : value
}

/** `token_use=access,v=2,sid`: with this value, or with any. */
function readRequiredClaims(reader: Reader): IdentityConfig['requiredClaims'] {
  const claims = (reader.text('IDP_REQUIRED_CLAIMS') ?? '').split(',').filter(Boolean)
  const parsed = claims.map(claim => {
    const [name = '', value, ...more] = claim.split('=').map(part => part.trim())
    if (!name || value === '' || more.length > 0) {
      reader.refuse('IDP_REQUIRED_CLAIMS', 'must be name=value pairs or names, parted by commas')
    }
    const required = value === undefined ? null : readClaimValue(value)
    if (typeof required === 'number' && !Number.isSafeInteger(required)) {
      reader.refuse('IDP_REQUIRED_CLAIMS', 'must have whole numbers up to 2^53 - 1; put text in quotes')
    }
    return [name, required] as const
  })
  return Object.fromEntries(parsed)
}

/** JSON: `true` is the boolean, `2` the number, `"2"` the text. Anything else is text as it stands. */
function readClaimValue(value: string): string | number | boolean {
  try {
    const json: unknown = JSON.parse(value)
    if (typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean') return json
  } catch {}
  return value
}

const readList = (reader: Reader, name: string, separator: string): string[] =>
  (reader.text(name) ?? '')
    .split(separator)
    .map(item => item.trim())
    .filter(Boolean)
