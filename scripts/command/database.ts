/** The database that a command works on. */
import { existsSync, statSync } from 'node:fs'
import { type Database, openDatabase, type PostgresSettings } from '../../db/index.ts'
import { type Config, parseConfig } from '../../src/config/config.ts'
import { readPostgresSettings } from '../../src/config/database.ts'
import { withDevelopmentSecrets } from '../../src/config/development-secrets.ts'
import { createReader, type Environment, readDatabaseUrl } from '../../src/config/reader.ts'
import { realSources } from '../../src/core/sources.ts'
import { fail, misuse } from './explain.ts'

/** The environment, with `--database` in the place of DATABASE_URL. */
function environmentOf(database: string | undefined): Environment {
  return database === undefined ? process.env : { ...process.env, DATABASE_URL: database }
}

/** By the same rule as the API's, without the rest of its configuration. `option` is what named the database. */
export function databaseUrlOf(database: string | undefined, option = '--database'): string {
  const reader = createReader(environmentOf(database))
  const url = readDatabaseUrl(reader)
  const problem = reader.problems.join('\n')
  if (problem === '') {
    if (isSqlite(url) && isFolder(sqlitePathOf(url)))
      fail(`${sqlitePathOf(url)} is a folder: a database is a file.`)
    return url
  }
  return database === undefined ? fail(problem) : misuse(problem.replace('DATABASE_URL', option))
}

/** By the same rule as the API's. */
export function postgresSettings(): Readonly<PostgresSettings> {
  const reader = createReader(process.env)
  const settings = readPostgresSettings(reader)
  return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : settings
}

/** The whole configuration of the API; a wrong `--database` is the caller's, not the configuration's. @throws ConfigError */
export async function configurationOf(database: string | undefined): Promise<Readonly<Config>> {
  if (database !== undefined) databaseUrlOf(database)
  return parseConfig(await withDevelopmentSecrets(environmentOf(database)))
}

/** What `--provider` names, or else the provider of the API, without the rest of its configuration. */
export function providerOf(provider: string | undefined): string {
  const reader = createReader(process.env)
  const name = provider ?? reader.required('IDP_NAME')
  return reader.problems.length > 0 ? fail(reader.problems.join('\n')) : name
}

export const isSqlite = (url: string) => url.startsWith('sqlite:')
export const sqlitePathOf = (url: string) => url.slice('sqlite:'.length)

/** Where the erasures of a SQLite database are listed: beside it, and in none of its backups. */
export const erasuresPathOf = (path: string) => `${path}.erasures`

/** Whether the path is a folder's, there or not. */
export const isFolder = (path: string) =>
  path.endsWith('/') || (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)

/** A database that is there and current: a misspelt path must not make a new one. */
export async function openExisting(url: string): Promise<Database> {
  if (isSqlite(url) && !existsSync(sqlitePathOf(url))) {
    fail(`There is no database at ${sqlitePathOf(url)}; \`bun run migrate\` makes one.`)
  }
  const db = openDatabase(url, realSources, { postgres: postgresSettings() })
  try {
    await db.ping()
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
