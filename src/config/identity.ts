import { isInternalHost } from '../ssrf-guard.ts'
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
  /** Claims that a token must hold: with exactly this text, or, where true, with any value. */
  requiredClaims: Record<string, string | true>
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

/** `token_use=access,sid`: with exactly this text, or merely there. */
function readRequiredClaims(reader: Reader): Record<string, string | true> {
  const claims = (reader.text('IDP_REQUIRED_CLAIMS') ?? '').split(',').filter(Boolean)
  const parsed = claims.map((claim): [string, string | true] => {
    const [name = '', value = true, ...more] = claim.split('=').map(part => part.trim())
    if (!name || !value || more.length > 0) {
      reader.refuse('IDP_REQUIRED_CLAIMS', 'must be name=value pairs or names, parted by commas')
    }
    return [name, value]
  })
  return Object.fromEntries(parsed)
}
