/** More writes than the database takes: the queue fills, the rest is refused at once, reads go on, and all heals. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { createClock } from './support/clock.ts'
import { sharedEngines, type TemporaryDatabase } from './support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from './support/processes.ts'

const WAITING = 10
/** Of the waiting, those that `src/background.ts` may have started itself: one a task. */
const OF_BACKGROUND = 5
const WRITES = 40

/** Keeps every write of others waiting, and no read, until it is told to stop. */
async function holdWrites(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const script = join(import.meta.dir, 'db/lock-holder.ts')
    const holder = Bun.spawn([process.execPath, script, url.slice('sqlite:'.length)], {
      stdin: 'pipe',
      stdout: 'pipe',
    })
    await holder.stdout.getReader().read()
    return async () => {
      holder.stdin.end()
      await holder.exited
    }
  }
  const client = new SQL(url, { max: 1 })
  const connection = await client.reserve()
  await connection.unsafe('BEGIN')
  await connection.unsafe('LOCK TABLE users IN EXCLUSIVE MODE')
  return async () => {
    await connection.unsafe('COMMIT')
    connection.release()
    await client.close()
  }
}

for (const engine of sharedEngines) {
  describe(`Overload (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let api: RunningApi

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: WRITES + 1 })
      api = await startApi({
        DATABASE_URL: temporary.url ?? '',
        IDP_ISSUER: provider.issuer,
        MAX_QUEUED_WRITES: String(WAITING),
      })
    })
    afterAll(async () => {
      await api.stop()
      await provider.stop()
      await temporary.remove()
    })

    async function write(n: number) {
      const token = await provider.idp.issueToken(`fan-${String(n + 1).padStart(4, '0')}`)
      const response = await fetch(`${api.origin}/api/user/profile`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      })
      const { code } = (await response.json()) as { code?: string }
      return { status: response.status, code, retryAfter: response.headers.get('retry-after') }
    }

    test('past the queue a write is 503 overloaded at once while reads are answered; then all that waited is done', async () => {
      const release = await holdWrites(temporary.url ?? '')
      const writes = Array.from({ length: WRITES }, (_, n) => write(n))
      // Refused while the lock is held: nothing but the full queue can have answered.
      const refused = await Promise.any(
        writes.map(async answer => {
          const { status } = await answer
          if (status !== 503) throw new Error(`answered ${status} while nothing could be written`)
          return answer
        }),
      )
      expect(refused).toEqual({ status: 503, code: 'overloaded', retryAfter: '1' })
      const reads = Array.from({ length: 20 }, () => fetch(`${api.origin}/api/teams`))
      expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(20).fill(200))
      expect((await fetch(`${api.origin}/readyz`)).status).toBe(200)
      await release()

      const answers = await Promise.all(writes)
      const done = answers.filter(({ status }) => status === 201)
      expect(done.length).toBeGreaterThanOrEqual(WAITING - OF_BACKGROUND)
      expect(answers.filter(({ code }) => code === 'overloaded')).toHaveLength(WRITES - done.length)
      // What was refused was not done, and what was done was done once.
      expect(await temporary.db.read.select().from(temporary.db.tables.users)).toHaveLength(done.length)
      expect((await write(WRITES)).status).toBe(201)
    })
  })
}

if (sharedEngines.length === 1) {
  test.skip('Overload on PostgreSQL: set TEST_POSTGRES_URL to run it', () => {})
}
