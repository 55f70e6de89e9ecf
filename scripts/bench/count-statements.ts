/** Counts the database statements of a read, in process. */
import type { Engine } from './databases.ts'
import { inProcess } from './in-process.ts'
import type { Bench } from './scenario.ts'

/** Counts the statements of one GET with a verified token whose response is not cached. */
export async function countStatements(bench: Bench, engine: Engine, path: string): Promise<number> {
  const { url, remove } = await bench.databases.copy(engine, bench.options.fans)
  let count = 0
  const app = await inProcess(bench, url, db => {
    const read = new Proxy(db.read, {
      get(target, name) {
        // `statements` is read once for each prepared statement, `select` is called for any other.
        if (name === 'statements' || name === 'select') count++
        return Reflect.get(target, name)
      },
    })
    return { ...db, read }
  })
  try {
    const [one = '', other = ''] = bench.tokensOf(bench.options.fans)
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
    await app.close()
    await remove()
  }
}
