/** Keeps demonstration data out of databases that look like production: there, `seed` and `dev` need `--yes`. */
import { existsSync } from 'node:fs'
import { and, eq, isNull, like, not } from 'drizzle-orm'
import { openDatabase, type PostgresSettings } from '../../db/index.ts'
import { listPendingMigrations } from '../../db/migrate.ts'
import { commandLine } from '../../src/core/command-line.ts'
import { realSources } from '../../src/core/sources.ts'
import { developmentKeyHash } from '../../src/identity/server-keys/development-key.ts'
import type { Environment } from '../../src/platform/config/config.ts'
import { isSqlite, sqlitePathOf } from './database.ts'
import { fail } from './explain.ts'

interface Target {
  env: Environment
  databaseUrl: string
  postgres?: PostgresSettings
}

/** Fails with the reason, unless `yes`. Writes no row and creates no file. */
export async function refuseProduction(
  command: string,
  target: Target,
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return
  const reason = signOfProduction(target.env) ?? (await findRealFans(target))
  if (reason !== null)
    fail(
      `\`${commandLine(command)}\` writes demonstration data, and ${reason}. Nothing was written; \`${commandLine(command)} --yes\` writes it.`,
    )
}

/** Why the configuration looks like production. The mock provider, whose fans a seed writes, has no TLS. */
export function signOfProduction({ NODE_ENV, IDP_ISSUER }: Environment): string | null {
  if (NODE_ENV === 'production') return 'NODE_ENV is production'
  if (IDP_ISSUER?.trim().startsWith('https:')) return 'IDP_ISSUER is not the mock provider'
  return null
}

/** A development database has the server key that `dev` stores, and may have users with any name. */
async function findRealFans({ databaseUrl, postgres }: Target): Promise<string | null> {
  if (isSqlite(databaseUrl) && !existsSync(sqlitePathOf(databaseUrl))) return null
  const { pending, total } = await listPendingMigrations(databaseUrl, postgres)
  if (pending.length === total) return null
  const db = openDatabase(databaseUrl, realSources, { postgres })
  const { users, serverKeys } = db.tables
  try {
    const [key] = await db.read
      .select({ id: serverKeys.id })
      .from(serverKeys)
      .where(eq(serverKeys.hash, developmentKeyHash))
    if (key) return null
    const [fan] = await db.read
      .select({ id: users.id })
      .from(users)
      .where(and(not(like(users.subject, 'fan-%')), isNull(users.erasedAt)))
      .limit(1)
    return fan ? 'the database has fans that are not of the mock provider' : null
  } finally {
    await db.close()
  }
}
