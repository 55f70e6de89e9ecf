/** The database and configuration of a command. */
import { existsSync, statSync } from 'node:fs'
import { type Database, DatabaseError, openDatabase, type PostgresSettings } from '../../db/index.ts'
import { listPendingMigrations } from '../../db/migrate.ts'
import { createSpine } from '../../src/app/spine.ts'
import { commandLine } from '../../src/core/command-line.ts'
import { realSources } from '../../src/core/sources.ts'
import { type FanEmails, fanEmailsOf } from '../../src/identity/users/emails.ts'
import { type Config, parseConfig } from '../../src/platform/config/config.ts'
import { readErasureList, readPostgresSettings, readReplicaUrl } from '../../src/platform/config/database.ts'
import { withDevelopmentSecrets } from '../../src/platform/config/development-secrets.ts'
import {
  createEnvironmentReader,
  type Environment,
  readDatabaseUrl,
} from '../../src/platform/config/environment.ts'
import { readSigningKey } from '../../src/platform/config/secrets.ts'
import { readSettings, type Settings } from '../../src/platform/config/settings.ts'
import { readUploads, type UploadsConfig } from '../../src/platform/config/uploads.ts'
import { fail, failUsage } from './explain.ts'

/** The environment, with `--database` as DATABASE_URL, which then has no replica. */
function environmentOf(database: string | undefined): Environment {
  if (database === undefined) return process.env
  const unset = {
    DATABASE_URL_FILE: undefined,
    DATABASE_READ_URL: undefined,
    DATABASE_READ_URL_FILE: undefined,
  }
  return { ...process.env, ...unset, DATABASE_URL: database }
}

/** The database URL, validated as by the API, without the rest of its configuration. `option` names it in errors. */
export function databaseUrlOf(database: string | undefined, option = '--database'): string {
  const reader = createEnvironmentReader(environmentOf(database))
  const url = readDatabaseUrl(reader)
  const problem = reader.problems.join('\n')
  if (problem === '') {
    if (isSqlite(url) && isDirectory(sqlitePathOf(url)))
      fail(`${sqlitePathOf(url)} is a directory, not a database file.`)
    return url
  }
  return database === undefined ? fail(problem) : failUsage(problem.replace('DATABASE_URL', option))
}

/** The URL of `--from-replica`, validated as by the API. */
export function replicaUrlOf(database: string | undefined): string {
  if (database !== undefined) failUsage('--from-replica reads DATABASE_READ_URL: leave out --database')
  const reader = createEnvironmentReader(process.env)
  const url = readReplicaUrl(reader, readDatabaseUrl(reader))
  if (reader.problems.length > 0) return fail(reader.problems.join('\n'))
  return url ?? failUsage('--from-replica requires DATABASE_READ_URL')
}

/** The PostgreSQL settings, validated as by the API. `schema`: of this option, in place of that of DATABASE_SCHEMA. */
export function postgresSettings(schema?: string, option?: string): Readonly<PostgresSettings> {
  const DATABASE_SCHEMA = schema ?? process.env.DATABASE_SCHEMA
  const reader = createEnvironmentReader({ ...process.env, DATABASE_SCHEMA })
  const settings = readPostgresSettings(reader)
  const wrong = reader.problems.find(problem => problem.startsWith('DATABASE_SCHEMA '))
  if (wrong && schema !== undefined && option) failUsage(wrong.replace('DATABASE_SCHEMA', option))
  return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : settings
}

const inSchema = () => (process.env.DATABASE_SCHEMA ? ' --schema="$DATABASE_SCHEMA"' : '')

/** PostgreSQL's own backup, as a line for the shell. */
export const pgDump = () => `pg_dump --format=custom${inSchema()} --file=FILE "$DATABASE_URL"`

/**
 * In one transaction: otherwise a failed restore leaves tables dropped. With `--schema` it drops and makes
 * what is in the schema, and not the schema, which the role of a club may not make. Not for Citus: see docs/scaling.md.
 */
export const pgRestore = () =>
  `pg_restore --clean --if-exists --single-transaction${inSchema()} --dbname="$DATABASE_URL" FILE`

/** The whole configuration of the API. An invalid `--database` is a usage error. @throws ConfigError */
export async function configurationOf(database: string | undefined): Promise<Readonly<Config>> {
  if (database !== undefined) databaseUrlOf(database)
  return parseConfig(await withDevelopmentSecrets(environmentOf(database)))
}

/** The list of erasures of this database, as in the API. ERASURE_LIST applies only to the database of DATABASE_URL. */
export function erasureListOf(url: string): string | null {
  const isOther = url !== createEnvironmentReader(process.env).secret('DATABASE_URL')
  return readErasureList(createEnvironmentReader(isOther ? {} : process.env), url)
}

/** The settings whose variables are set, validated as by the API when a command uses them. */
function settingsOfEnvironment(): () => Readonly<Partial<Settings>> {
  let settings: Readonly<Partial<Settings>> | undefined
  return () => {
    if (settings) return settings
    const reader = createEnvironmentReader(process.env)
    settings = readSettings(reader)
    return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : settings
  }
}

/** The store of pictures, validated as by the API; null if none is configured. */
export function uploadsConfig(): UploadsConfig | null {
  const reader = createEnvironmentReader(process.env)
  const uploads = readUploads(reader)
  return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : uploads
}

/** The provider of `--provider`, or the API's (IDP_NAME). */
export function providerOf(provider: string | undefined): string {
  const reader = createEnvironmentReader(process.env)
  const name = provider ?? reader.required('IDP_NAME')
  return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : name
}

/** Finds fans by e-mail as the API does: only with FANS_BY_EMAIL, and with the key of the API. */
export async function fanEmails(): Promise<FanEmails | null> {
  const isOn = (env: Environment) => createEnvironmentReader(env).flag('FANS_BY_EMAIL', false)
  const reader = createEnvironmentReader(
    isOn(process.env) ? await withDevelopmentSecrets(process.env) : process.env,
  )
  const fansByEmail = reader.flag('FANS_BY_EMAIL', false)
  const key = fansByEmail ? readSigningKey(reader) : {}
  return reader.problems.length > 0
    ? fail(reader.problems.join('\n'))
    : fanEmailsOf({ fansByEmail, nativeTokens: { key } })
}

export const isSqlite = (url: string) => url.startsWith('sqlite:')
export const sqlitePathOf = (url: string) => url.slice('sqlite:'.length)

/** Whether the path is a directory, or ends like one. */
export const isDirectory = (path: string) =>
  path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)

/**
 * Opens an existing database with the current schema, so that a misspelt path does not create one. @throws DatabaseError
 * `outdated` if `migrate` helps, and as `migrate` if it refuses the database
 */
export async function openExisting(url: string, postgres = postgresSettings()): Promise<Database> {
  if (isSqlite(url) && !existsSync(sqlitePathOf(url))) {
    fail(`There is no database at ${sqlitePathOf(url)}; \`${commandLine('migrate')}\` creates one.`)
  }
  const { pending } = await listPendingMigrations(url, postgres)
  if (pending.length > 0) throw new DatabaseError('outdated')
  const spine = createSpine()
  spine.settings.environment = settingsOfEnvironment()
  const db = openDatabase(url, realSources, { spine, postgres })
  try {
    await db.ping()
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
