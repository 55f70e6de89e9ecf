/** How many statements a read puts to the database, counted in process. */
import { pino } from 'pino'
import { openDatabase } from '../../db/index.ts'
import { createApp } from '../../src/app.ts'
import { parseConfig } from '../../src/config/config.ts'
import { realSources } from '../../src/core/sources.ts'
import { createDeps } from '../../src/deps.ts'
import type { Engine } from './databases.ts'
import type { Bench } from './scenario.ts'

/** Of one GET by a fan whose token is known and who has not read this path before. */
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
      // One look-up a prepared statement, and one call for any other.
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
    const ask = async (token: string, path: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const { status } = await app.handle(new Request(`http://localhost${path}`, { headers }))
      if (status !== 200) throw new Error(`GET ${path} answers ${status}`)
    }
    // What is prepared is built for the first fan, and what is the same for all is read.
    await ask(one, path)
    await ask(other, '/api/user/onboarding')
    count = 0
    await ask(other, path)
    return count
  } finally {
    await db.close()
    await remove()
  }
}
