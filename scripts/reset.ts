/** `bun run reset`: deletes the development database and creates it again, as the first `dev` did. */

import { existsSync } from 'node:fs'
import { and, isNull, like, not } from 'drizzle-orm'
import { dropDatabase } from '../db/drop.ts'
import {
  DatabaseError,
  openDatabase,
  type PostgresSettings,
  SchemaError,
  translateDatabaseError,
} from '../db/index.ts'
import { listPendingMigrations } from '../db/migrate.ts'
import { commandLine } from '../src/core/command-line.ts'
import { realSources } from '../src/core/sources.ts'
import type { Config } from '../src/platform/config/config.ts'
import { declareCommand, runCommand } from './command/command.ts'
import { isSqlite, sqlitePathOf } from './command/database.ts'
import { fail } from './command/explain.ts'
import { signOfProduction } from './command/production-guard.ts'
import { prepareDatabase, readMock } from './dev/prepare-database.ts'

const command = declareCommand({
  name: 'reset',
  summary:
    'Deletes the development database and creates it again: migrated, with the fans of the mock provider.',
  examples: [
    ['', 'the database of DATABASE_URL, by default data/matchday.db'],
    ['--dry-run', 'shows what would be deleted'],
    ['--yes', 'also with fans that are not of the mock provider, or on another machine'],
  ],
  notes: `Stop the API first. With NODE_ENV=production or a provider that is not the mock provider it never runs. On PostgreSQL it
deletes the tables of Matchday and nothing else. To leave the database as it is, use \`${commandLine('dev')} --fresh\`.`,
  changes: true,
}).option('--yes', 'delete even if the database has real fans')

await runCommand(command, async ({ options, configuration }) => {
  const sign = signOfProduction(process.env)
  if (sign !== null) fail(`\`${commandLine('reset')}\` is for development, and ${sign}. Nothing was deleted.`)
  const config = await configuration()
  const found = options.yes ? null : (remoteHostOf(config.databaseUrl) ?? (await findRealFans(config)))
  if (found !== null) fail(`${found}. Nothing was deleted; \`${commandLine('reset')} --yes\` deletes it.`)
  const name = withoutCredentials(config.databaseUrl)
  if (options.dryRun)
    return {
      json: { database: name, dryRun: true },
      text: `Would delete ${name} and recreate it. Nothing was changed (--dry-run).`,
    }
  await dropDatabase(config.databaseUrl, config.postgres).catch(error => {
    if (!(error instanceof DatabaseError) || error.fault !== 'busy') throw error
    fail(`${name} is in use: stop the API and any other process that uses it.`)
  })
  await prepareDatabase(config, readMock(process.env))
  return { json: { database: name }, text: `${name} is new: migrated and seeded.` }
})

/** A sentence about a server on another machine; null for a local server and for files. */
function remoteHostOf(url: string): string | null {
  if (isSqlite(url)) return null
  const { hostname } = new URL(url)
  return ['', 'localhost', '127.0.0.1', '[::1]'].includes(hostname)
    ? null
    : `The database is on another machine, ${hostname}`
}

/** A sentence about fans of other providers than the mock provider, or about unreadable fans; null without such fans. */
async function findRealFans({ databaseUrl, postgres }: Config): Promise<string | null> {
  if (isSqlite(databaseUrl) && !existsSync(sqlitePathOf(databaseUrl))) return null
  try {
    if (await isEmpty(databaseUrl, postgres)) return null
    const db = openDatabase(databaseUrl, realSources, { postgres })
    const { users } = db.tables
    const [fan] = await db.read
      .select({ id: users.id })
      .from(users)
      .where(and(not(like(users.subject, 'fan-%')), isNull(users.erasedAt)))
      .limit(1)
      .finally(() => db.close())
    return fan ? 'The database has fans that are not of the mock provider' : null
  } catch (error) {
    const fault = translateDatabaseError(error)
    if (fault instanceof DatabaseError && fault.fault !== 'corrupt') throw fault
    return 'The fans of the database cannot be read'
  }
}

async function isEmpty(databaseUrl: string, postgres: PostgresSettings): Promise<boolean> {
  try {
    const { pending, total } = await listPendingMigrations(databaseUrl, postgres)
    return pending.length === total
  } catch (error) {
    // A schema of another version is a reason to reset.
    if (error instanceof SchemaError) return false
    throw error
  }
}

function withoutCredentials(url: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/)[^@/]*@/, '$1')
}
