/** The configuration: read once from the environment, validated as a whole, frozen. */
import { attempt } from '../../core/attempt.ts'
import { readConsoleConfig } from './console.ts'
import { readBackups, readErasureList, readPostgresSettings, readReplicaUrl } from './database.ts'
import {
  createEnvironmentReader,
  type Environment,
  type EnvironmentReader,
  readDatabaseUrl,
} from './environment.ts'
import { readEventSink } from './event-sink.ts'
import { readIdentityConfig } from './identity.ts'
import { readLimitsConfig } from './limits.ts'
import { readNetworkConfig } from './network.ts'
import { readCashCurrencies, readPaymentsConfig } from './payments.ts'
import { readPushConfig } from './push.ts'
import { findRemoved } from './removed.ts'
import { readPreviousKeys, readSigningKey } from './secrets.ts'
import { readSettings } from './settings.ts'
import { readStoresConfig } from './stores.ts'
import { readTracingConfig } from './tracing.ts'
import { readUploads } from './uploads.ts'
import { readWallets } from './wallets.ts'

export { developmentDefaults, type Environment } from './environment.ts'

/** Operations with larger bodies state a limit of their own, so that no installation raises that of all others. */
const MAX_BODY_BYTES = 64 * 1_024
/** Far more than any operation or event needs, and far less than what exhausts the stack. */
const MAX_BODY_LEVELS = 32
/** Public, with PKCE. Swagger UI shows it in a field, where another one can be entered. */
const DOCS_CLIENT_ID = 'matchday-swagger'

export type Config = ReturnType<typeof parseConfig>

/** Contains every problem of the configuration. Names variables, never their values. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration is not valid:\n${problems.map(problem => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

function readMetricsConfig(reader: EnvironmentReader) {
  const host = reader.text('METRICS_HOST') ?? '127.0.0.1'
  const port = reader.integer('METRICS_PORT', 0, 0, 65_535)
  return reader.text('METRICS_PORT') === undefined ? null : Object.freeze({ host, port })
}

/** Set by `bun run dev`, which bundles the app. */
function readDemoFolder(reader: EnvironmentReader): string | null {
  const folder = reader.text('DEMO_FOLDER') ?? null
  if (folder !== null && reader.production) reader.refuse('DEMO_FOLDER', 'must not be set in production')
  return folder
}

/** @throws ConfigError with every problem found */
export function parseConfig(env: Environment) {
  const reader = createEnvironmentReader(env)
  const identity = readIdentityConfig(reader)
  const key = readSigningKey(reader)
  const databaseUrl = readDatabaseUrl(reader)
  const apiPort = reader.integer('PORT', 3000, 0, 65_535)
  const publicUrl = readHttpUrl(reader, 'PUBLIC_URL')?.replace(/\/+$/, '') ?? null
  const config = {
    production: reader.production,
    host: reader.text('HOST') ?? '127.0.0.1',
    port: apiPort,
    /** Number of processes that share the port. */
    workers: reader.integer('WORKERS', 1, 1, 256),
    databaseUrl,
    /** A replica of the database, for public reads; null: there is none. */
    databaseReadUrl: readReplicaUrl(reader, databaseUrl),
    /** The file to which erasures of fans are appended; null: there is no list. */
    erasureList: readErasureList(reader, databaseUrl),
    /** Backups that the console makes; null: it makes none. */
    backups: readBackups(reader, databaseUrl),
    postgres: readPostgresSettings(reader),
    /** Whether the server applies missing migrations at start. If not, it refuses a database that lacks some. */
    migrate: reader.flag('MIGRATE', true),
    identity,
    nativeTokens: {
      /** `iss` of native tokens. */
      issuer: reader.text('NATIVE_TOKEN_ISSUER') ?? 'urn:matchday',
      /** The private JWK that signs native tokens. */
      key,
      /** Former signing keys. */
      previousKeys: readPreviousKeys(reader, key),
      /** Maximum lifetime of a native session. Milliseconds. */
      sessionMs: reader.integer('NATIVE_SESSION_DAYS', 180, 1, 365) * 86_400_000,
    },
    /** Language of the texts of the catalogue that are stated in one language. */
    defaultLanguage: readDefaultLanguage(reader),
    /** Whether systems of the club find fans by their verified e-mail address. */
    fansByEmail: reader.flag('FANS_BY_EMAIL', false),
    /** Settings whose variables are set, which win over those that the club's staff has stated: see `settingsOf`. */
    settings: readSettings(reader),
    /** Where all events are published; null: nowhere. */
    eventSink: readEventSink(reader),
    /** Where uploaded pictures are stored; null: there are none. */
    uploads: readUploads(reader),
    /** The app's page for check-ins, to which the QR code at the gate leads; null: that has the code alone. */
    checkInUrl: readCheckInUrl(reader),
    /** Folder of the files that fans buy; null: there are none. */
    downloads: reader.text('DOWNLOADS') ?? null,
    /** How devices of fans are reached. */
    push: readPushConfig(reader),
    payments: readPaymentsConfig(reader),
    wallets: readWallets(reader, publicUrl, apiPort),
    stores: readStoresConfig(reader),
    /** Currencies in which fans may keep cash. Empty: none. */
    cashCurrencies: readCashCurrencies(reader),
    network: readNetworkConfig(reader),
    limits: readLimitsConfig(reader),
    docs: {
      /** Serves Swagger UI at /docs and the OpenAPI document at /docs/json. */
      enabled: reader.flag('DOCS', !reader.production),
      /** OAuth client of Swagger UI. */
      clientId: DOCS_CLIENT_ID,
      /** Folder of the bundled example app, served at /demo; null: not served. Never in production. */
      demoFolder: readDemoFolder(reader),
      /** Where clients reach the API, for the document's `servers`; null: at the host that serves the document. */
      publicUrl,
    },
    /** Where Prometheus reads metrics; null: nothing is measured. The first worker has this port, each further one the next. */
    metrics: readMetricsConfig(reader),
    /** The console of the club's staff; null: it is not served. The first worker alone serves it. */
    console: readConsoleConfig(reader, apiPort),
    /** Where traces are sent; null: nothing is traced. */
    tracing: readTracingConfig(reader),
    logLevel: reader.oneOf('LOG_LEVEL', ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent']),
    maxBodyBytes: MAX_BODY_BYTES,
    /** Maximum nesting of objects and arrays. */
    maxBodyLevels: MAX_BODY_LEVELS,
    /** Variables of former versions that are set, and what replaces each. Named in a warning at start. */
    noLongerRead: findRemoved(env),
  }
  if (config.nativeTokens.issuer.replace(/\/+$/, '') === config.identity.issuer) {
    reader.refuse(
      'NATIVE_TOKEN_ISSUER',
      'must differ from IDP_ISSUER: the issuer distinguishes the two kinds of tokens',
    )
  }
  const { metrics, port, workers } = config
  // 0 picks a free port.
  if (metrics && metrics.port > 0) {
    const last = metrics.port + workers - 1
    if (last > 65_535)
      reader.refuse('METRICS_PORT', `must be at most ${65_536 - workers}: each worker has a port`)
    if (port >= metrics.port && port <= last) reader.refuse('METRICS_PORT', 'must differ from PORT')
  }
  reader.refuseNearMisses()
  if (reader.problems.length > 0) throw new ConfigError(reader.problems)
  for (const part of [config.identity, config.nativeTokens, config.nativeTokens.key, config.docs])
    Object.freeze(part)
  return Object.freeze(config)
}

function readDefaultLanguage(reader: EnvironmentReader): string {
  const tag = reader.text('DEFAULT_LANGUAGE') ?? 'en'
  const [canonical] = attempt(() => Intl.getCanonicalLocales(tag)) ?? []
  if (canonical === undefined)
    reader.refuse('DEFAULT_LANGUAGE', 'must be a language tag, such as en or pt-BR')
  return canonical ?? tag
}

/** An origin, or a URL with a path, such as that under which a proxy serves the API. */
function readHttpUrl(reader: EnvironmentReader, name: string): string | null {
  const text = reader.text(name)
  if (text === undefined) return null
  const url = URL.parse(text)
  const isHttp = url !== null && /^https?:$/.test(url.protocol)
  if (!isHttp || url.username || url.password || url.search || url.hash)
    reader.refuse(name, 'must be an http or https URL without credentials, query and fragment')
  return text
}

/** By default that of the example app, where it is served. */
const readCheckInUrl = (reader: EnvironmentReader): string | null =>
  readHttpUrl(reader, 'CHECK_IN_URL') ?? (reader.text('DEMO_FOLDER') ? '/demo/check-in' : null)
