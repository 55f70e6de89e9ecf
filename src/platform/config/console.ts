import type { EnvironmentReader } from './environment.ts'
import { TWO_PERSON_GROUPS, type TwoPersonGroup } from './two-person.ts'

/** In development, above the port of the API. */
const PORTS_ABOVE = 100
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

export type ConsoleConfig = NonNullable<ReturnType<typeof readConsoleConfig>>

/** The console of the club's staff; null: it is not served. In production only with CONSOLE_PORT. */
export function readConsoleConfig(reader: EnvironmentReader, apiPort: number) {
  const isSet = reader.text('CONSOLE_PORT') !== undefined
  const byDefault = apiPort === 0 ? 0 : Math.min(apiPort + PORTS_ABOVE, 65_535)
  const port = reader.integer('CONSOLE_PORT', byDefault, 0, 65_535)
  const host = reader.text('CONSOLE_HOST') ?? '127.0.0.1'
  const url = readOrigin(reader)
  const twoPerson = readTwoPerson(reader)
  const provider = readStaffProvider(reader)
  if (!isSet && reader.production) return null
  if (port !== 0 && port === apiPort) reader.refuse('CONSOLE_PORT', 'must differ from PORT')
  if (provider && port === 0 && url === null)
    reader.refuse('CONSOLE_URL', 'is required by CONSOLE_ISSUER where CONSOLE_PORT is 0')
  if (reader.production && !LOOPBACK.includes(host) && !url?.startsWith('https:'))
    reader.refuse('CONSOLE_URL', 'must be https in production, unless CONSOLE_HOST is the loopback')
  return Object.freeze({
    host,
    /** 0 picks a free port. */
    port,
    /** The port is only a default: if it is taken, the server starts anyway. */
    byDefault: !isSet,
    /** Where staff reach it; null: at its host and port. */
    url,
    /** Whether cookies are sent over TLS only. */
    secure: url?.startsWith('https:') ?? false,
    /** Actions that wait for a second person. */
    twoPerson,
    /** With which staff sign in; null: by links alone. */
    provider,
  })
}

/** An OpenID provider of the staff, which is not that of the fans. */
export interface StaffProviderConfig {
  /** Without a trailing slash. */
  issuer: string
  clientId: string
  /** Null: a public client, with PKCE alone. */
  clientSecret: string | null
  /** The claim of the ID token with a role of the console or a list; a path with dots, or a name that has them. */
  roleClaim: string
}

function readStaffProvider(reader: EnvironmentReader): Readonly<StaffProviderConfig> | null {
  const issuer = reader.text('CONSOLE_ISSUER')?.replace(/\/+$/, '')
  const clientId = reader.text('CONSOLE_CLIENT_ID')
  const clientSecret = reader.secret('CONSOLE_CLIENT_SECRET') ?? null
  const roleClaim = reader.text('CONSOLE_ROLE_CLAIM')
  if (issuer === undefined) {
    const unused = {
      CONSOLE_CLIENT_ID: clientId,
      CONSOLE_CLIENT_SECRET: clientSecret,
      CONSOLE_ROLE_CLAIM: roleClaim,
    }
    for (const [name, value] of Object.entries(unused))
      if (value !== undefined && value !== null) reader.refuse(name, 'needs CONSOLE_ISSUER')
    return null
  }
  const parsed = URL.parse(issuer)
  const isUrl = parsed !== null && /^https?:$/.test(parsed.protocol)
  if (!isUrl || parsed.username || parsed.search || parsed.hash)
    reader.refuse('CONSOLE_ISSUER', 'must be an http(s) URL without credentials, query and fragment')
  else if (reader.production && parsed.protocol !== 'https:')
    reader.refuse('CONSOLE_ISSUER', 'must be https in production')
  if (clientId === undefined) reader.refuse('CONSOLE_CLIENT_ID', 'is required by CONSOLE_ISSUER')
  return Object.freeze({ issuer, clientId: clientId ?? '', clientSecret, roleClaim: roleClaim ?? 'roles' })
}

function readOrigin(reader: EnvironmentReader): string | null {
  const text = reader.text('CONSOLE_URL')?.replace(/\/$/, '')
  if (text === undefined) return null
  if (!/^https?:/.test(text) || URL.parse(text)?.origin !== text)
    reader.refuse('CONSOLE_URL', 'must be http:// or https://, a host and optionally a port')
  return text
}

function readTwoPerson(reader: EnvironmentReader): readonly TwoPersonGroup[] {
  const groups = reader.list('CONSOLE_TWO_PERSON', ',')
  const known = TWO_PERSON_GROUPS.filter(group => groups.includes(group))
  if (known.length !== new Set(groups).size)
    reader.refuse('CONSOLE_TWO_PERSON', `must be of ${TWO_PERSON_GROUPS.join(', ')}, separated by commas`)
  return known
}
