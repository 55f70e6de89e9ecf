import { attempt } from '../../core/attempt.ts'
import { isInternalHost } from '../../core/ssrf-guard.ts'
import type { EnvironmentReader } from './environment.ts'

/** The NATS server to which events are published. */
export interface EventSinkConfig {
  host: string
  port: number
  /** Whether the connection must use TLS. Otherwise it does where the server offers it. */
  tls: boolean
  credentials: { user: string; pass: string } | { token: string } | null
}

const NAME = 'EVENT_SINK'
const DEFAULT_PORT = 4222

/** Null: events are not published. */
export function readEventSink(reader: EnvironmentReader): Readonly<EventSinkConfig> | null {
  const text = reader.secret(NAME)
  if (text === undefined) return null
  const url = URL.parse(text)
  const credentials = url && readCredentials(url)
  if (!url || !isServer(url) || credentials === undefined) {
    reader.refuse(NAME, 'must be nats:// or tls://, optionally credentials, a host and optionally a port')
    return null
  }
  const tls = url.protocol === 'tls:'
  if (reader.production && !tls && !isInternalHost(url.hostname)) {
    reader.refuse(NAME, 'must be tls:// in production, except for a loopback or private address')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return Object.freeze({ host, port: Number(url.port || DEFAULT_PORT), tls, credentials })
}

const isServer = ({ protocol, hostname, port, pathname, search, hash }: URL) =>
  /^(nats|tls):$/.test(protocol) &&
  /^(\[[\da-f:.]+\]|[\w.-]+)$/i.test(hostname) &&
  port !== '0' &&
  /^\/?$/.test(pathname) &&
  search === '' &&
  hash === ''

/** As clients of NATS read them: a name alone is a token. Undefined: they are not valid. */
function readCredentials({ username, password }: URL): EventSinkConfig['credentials'] | undefined {
  const [user, pass] = [username, password].map(text => attempt(() => decodeURIComponent(text)))
  if (user === undefined || pass === undefined) return undefined
  if (user === '') return pass === '' ? null : undefined
  return pass === '' ? { token: user } : { user, pass }
}
