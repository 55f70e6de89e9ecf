/** The configuration: read once from the environment, checked whole, frozen. */
import type { JWK } from 'jose'

export interface Config {
  production: boolean
  host: string
  port: number
  databaseUrl: string
  identity: {
    /** OpenID Connect issuer, without a trailing slash; discovery gives the rest. */
    issuer: string
    audience: string
    /** Names the sync path and the `provider` of a profile. */
    name: string
    /** `typ` that a session token must carry; null for providers that set none. */
    tokenTyp: string | null
    /** Standard Webhooks secret, `whsec_` and base64. */
    webhookSecret: string
  }
  /** Private JWK that signs native tokens. */
  nativeTokenKey: JWK
  onboardingPoints: number
  docs: {
    /** Swagger UI at /docs and the document at /docs/json. */
    enabled: boolean
    /** OAuth client that Swagger UI signs in with: public, with PKCE. */
    clientId: string
  }
  logLevel: string
  /** Bytes. */
  maxBodyBytes: number
}

export type Environment = Record<string, string | undefined>

/** Every problem of the configuration at once. Names variables, never their values. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is not right:\n${problems.map(problem => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/** What `bun run dev` and tests use where a variable is not set. Production has no such defaults. */
export const developmentDefaults = {
  DATABASE_URL: 'sqlite:data/matchday.db',
  IDP_ISSUER: 'http://localhost:4000',
  IDP_AUDIENCE: 'matchday-api',
  IDP_NAME: 'mock-idp',
} as const

/** Marks a key made for development: `start` refuses it in production. */
export const DEVELOPMENT_KID_PREFIX = 'dev-'
/** What a webhook secret made for development decodes to at its beginning. */
export const DEVELOPMENT_SECRET_PREFIX = 'matchday-dev-'

/** @throws ConfigError with every problem found */
export function parseConfig(env: Environment): Readonly<Config> {
  const problems: string[] = []
  const production = env.NODE_ENV === 'production'

  const read = (name: string) => env[name]?.trim() || undefined
  const refuse = (name: string, why: string) => void problems.push(`${name} ${why}`)

  function required(name: keyof typeof developmentDefaults): string {
    const value = read(name)
    if (value === undefined && production) refuse(name, 'is required in production')
    return value ?? developmentDefaults[name]
  }

  function integer(name: string, fallback: number, min: number, max: number): number {
    const value = read(name)
    if (value === undefined) return fallback
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= min && number <= max) return number
    refuse(name, `must be a whole number from ${min} to ${max}`)
    return fallback
  }

  function flag(name: string, fallback: boolean): boolean {
    const value = read(name)
    if (value === undefined) return fallback
    if (value !== 'on' && value !== 'off') refuse(name, 'must be on or off')
    return value === 'on'
  }

  const databaseUrl = required('DATABASE_URL')
  if (!/^sqlite:.+|^postgres(ql)?:\/\/.+/.test(databaseUrl)) {
    refuse('DATABASE_URL', 'must be sqlite:PATH or postgres://…')
  }

  const issuer = required('IDP_ISSUER').replace(/\/+$/, '')
  const issuerUrl = URL.parse(issuer)
  if (!issuerUrl || !/^https?:$/.test(issuerUrl.protocol)) refuse('IDP_ISSUER', 'must be an http(s) URL')
  else if (issuerUrl.username || issuerUrl.search || issuerUrl.hash) {
    refuse('IDP_ISSUER', 'must be without credentials, query and fragment')
  } else if (production && issuerUrl.protocol !== 'https:')
    refuse('IDP_ISSUER', 'must be https in production')

  const name = required('IDP_NAME')
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) {
    refuse('IDP_NAME', 'must be 1 to 32 of a-z, 0-9 and -, since it names the path /api/user/sync-IDP_NAME')
  }

  const logLevel = read('LOG_LEVEL') ?? 'info'
  if (!['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].includes(logLevel)) {
    refuse('LOG_LEVEL', 'must be one of trace, debug, info, warn, error, fatal, silent')
  }

  const config: Config = {
    production,
    host: read('HOST') ?? '127.0.0.1',
    port: integer('PORT', 3000, 0, 65_535),
    databaseUrl,
    identity: {
      issuer,
      audience: required('IDP_AUDIENCE'),
      name,
      tokenTyp: parseTokenTyp(read('IDP_TOKEN_TYP')),
      webhookSecret: parseWebhookSecret(read('IDP_WEBHOOK_SECRET'), production, refuse),
    },
    nativeTokenKey: parseSigningKey(read('NATIVE_TOKEN_KEY'), production, refuse),
    onboardingPoints: integer('ONBOARDING_POINTS', 100, 0, 1_000_000_000),
    docs: { enabled: flag('DOCS', !production), clientId: read('DOCS_CLIENT_ID') ?? 'matchday-swagger' },
    logLevel,
    maxBodyBytes: integer('MAX_BODY_BYTES', 65_536, 1_024, 1_048_576),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze({ ...config, identity: Object.freeze(config.identity) })
}

type Refuse = (name: string, why: string) => void

/** `none` is for providers whose access tokens carry no `typ`, or only `JWT`. */
function parseTokenTyp(value = 'at+jwt'): string | null {
  return value.toLowerCase() === 'none' ? null : value
}

function parseWebhookSecret(value: string | undefined, production: boolean, refuse: Refuse): string {
  const name = 'IDP_WEBHOOK_SECRET'
  if (value === undefined) {
    refuse(name, production ? 'is required in production' : 'is missing (`bun run dev` makes one in data/)')
    return ''
  }
  const bytes = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value)
    ? Buffer.from(value.slice(6), 'base64')
    : Buffer.alloc(0)
  if (bytes.length < 24) refuse(name, 'must be whsec_ and the base64 of at least 24 random bytes')
  else if (production && bytes.toString('latin1').startsWith(DEVELOPMENT_SECRET_PREFIX)) {
    refuse(name, 'is a development secret: make one of your own for production')
  }
  return value
}

function parseSigningKey(value: string | undefined, production: boolean, refuse: Refuse): JWK {
  const name = 'NATIVE_TOKEN_KEY'
  if (value === undefined) {
    refuse(name, production ? 'is required in production' : 'is missing (`bun run dev` makes one in data/)')
    return {}
  }
  let key: JWK
  try {
    key = JSON.parse(value)
  } catch {
    key = {}
  }
  const known = (key?.kty === 'EC' && key.crv === 'P-256') || (key?.kty === 'OKP' && key.crv === 'Ed25519')
  if (!known || typeof key.d !== 'string' || typeof key.kid !== 'string') {
    refuse(name, 'must be a private JWK with a kid, of kty EC (P-256) or OKP (Ed25519)')
  } else if (production && key.kid.startsWith(DEVELOPMENT_KID_PREFIX)) {
    refuse(name, 'is a development key: make one of your own for production')
  }
  return key ?? {}
}
