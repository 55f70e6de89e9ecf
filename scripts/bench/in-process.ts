/** Matchday in the process of the bench, to look inside it. */
import { pino } from 'pino'
import { type Database, openDatabase } from '../../db/index.ts'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/config/config.ts'
import { realSources } from '../../src/core/sources.ts'
import { createDeps } from '../../src/deps.ts'
import type { Bench } from './scenario.ts'

export async function inProcess(
  { subjects, issuer }: Bench,
  databaseUrl: string,
  observe: (db: Database) => Database = db => db,
) {
  const db = openDatabase(databaseUrl, realSources)
  const app = createApp(
    await createDeps({
      config: parseConfig(subjects.environment(databaseUrl)),
      db: observe(db),
      log: pino({ level: 'silent' }),
      sources: realSources,
      fetch: () => fetch(issuer.origin),
    }),
  )
  return {
    handle: async (request: Request) => app.handle(request),
    close: () => db.close(),
  }
}
