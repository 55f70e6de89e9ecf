/** Counts the database statements of a read, in process. */
import { pino } from 'pino'
import { openDatabase } from '../../db/index.ts'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/config/config.ts'
import { realSources } from '../../src/core/sources.ts'
import { createDeps } from '../../src/deps.ts'
import type { Engine } from './databases.ts'
import type { Bench } from './scenario.ts'

/** Counts the statements of one GET with a verified token whose response is not cached. */
export async function countStatements(
  { databases, subjects, issuer, options, tokensOf }: Bench,
  engine: Engine,
  path: string,
): Promise<number> {
  const { url, remove } = await databases.copy(engine, options.fans)
  const db = openDatabase(url, realSources)
  let count = 0
  const read = new Proxy(db.read, {
    get(target, name) {
      // `statements` is read once for each prepared statement, `select` is called for any other.
      if (name === 'statements' || name === 'select') count++
      return Reflect.get(target, name)
    },
  })
  try {
    const app = createApp(
      await createDeps({
        config: parseConfig(subjects.environment(url)),
        db: { ...db, read },
        log: pino({ level: 'silent' }),
        sources: realSources,
        fetch: () => fetch(issuer.origin),
      }),
    )
    const [one = '', other = ''] = tokensOf(options.fans)
    const request = async (token: string, path: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const { status } = await app.handle(new Request(`http://localhost${path}`, { headers }))
      if (status !== 200) throw new Error(`GET ${path} responds with ${status}`)
    }
    // The first fan builds the prepared statements and fills the shared caches.
    await request(one, path)
    await request(other, '/api/user/onboarding')
    count = 0
    await request(other, path)
    return count
  } finally {
    await db.close()
    await remove()
  }
}
