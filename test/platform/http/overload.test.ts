/** More writes than the database can do in time: the rest is refused before any work, reads continue, and the server recovers. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

/** Writes before the first refusal, and after it. */
const EARLY = 10
const LATE = 30
/** How long a write may have to wait. Milliseconds. */
const MAX_WAIT_MS = 2_000

/** Keeps every write of others waiting, and no read, until it is told to stop. */
async function holdWrites(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const script = join(import.meta.dir, '../../db/lock-holder.ts')
    const holder = Bun.spawn([process.execPath, script, url.slice('sqlite:'.length)], {
      stdin: 'pipe',
      stdout: 'pipe',
    })
    const { value } = await holder.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('locked')
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

for (const engine of engines) {
  describe(`Overload (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let api: RunningApi

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: EARLY + LATE + 1 })
      api = await startApi({
        DATABASE_URL: temporary.url ?? '',
        IDP_ISSUER: provider.issuer,
        MAX_WRITE_WAIT_MS: String(MAX_WAIT_MS),
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

    test('a write that would wait too long is immediately 503 overloaded, reads are served, and waiting writes succeed', async () => {
      const release = await holdWrites(temporary.url ?? '')
      const waiting = Array.from({ length: EARLY }, (_, n) => write(n))
      // Nothing is done while the lock is held, so the first answer is a refusal of one that came too late.
      const probes: ReturnType<typeof write>[] = []
      const answers: Awaited<ReturnType<typeof write>>[] = []
      const isAnswered = () => {
        if (answers.length > 0) return true
        const probe = write(EARLY)
        probes.push(probe)
        void probe.then(answer => answers.push(answer))
        return false
      }
      await waitUntil('a write is refused', isAnswered, 60_000, 100)
      expect(answers[0]).toMatchObject({ status: 503, code: 'overloaded' })
      const late = await Promise.all(Array.from({ length: LATE }, (_, n) => write(EARLY + n)))
      expect(late.map(({ code }) => code)).toEqual(Array(LATE).fill('overloaded'))
      for (const { retryAfter } of late) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)

      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
      const form = await fetch(`${api.origin}/withdraw`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
        body: 'order=1&email=ana@example.com',
      })
      expect([form.status, form.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
      expect(Number(form.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(await form.text()).toContain('The server is busy.')

      const reads = Array.from({ length: 20 }, () => fetch(`${api.origin}/api/teams`))
      expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array(20).fill(200))
      expect((await fetch(`${api.origin}/readyz`)).status).toBe(200)
      expect((await fetch(`${api.origin}/healthz`)).status).toBe(200)
      await release()

      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(EARLY).fill(201))
      const after: Awaited<ReturnType<typeof write>>[] = []
      const isAccepted = async () => {
        after.push(await write(EARLY + LATE))
        return after.at(-1)?.status === 201
      }
      // Other writes of the server, such as those of tasks, may still wait.
      await waitUntil('a write is accepted', isAccepted, 60_000, 100)
      const refused = [...late, ...(await Promise.all(probes)), form, ...after].filter(
        ({ status }) => status === 503,
      ).length

      // Refusals share one line of the log a second.
      const lines = () => api.output.map(line => JSON.parse(line))
      const summaries = () => lines().filter(({ msg }) => msg === 'writes refused: overloaded')
      const logged = () => summaries().reduce((sum, line) => sum + line.refused, 0)
      await waitUntil('all refusals are logged', () => logged() >= refused)
      expect(logged()).toBe(refused)
      const times = summaries().map(({ time }) => Date.parse(time))
      // A timer may end a millisecond early.
      for (const [n, time] of times.slice(1).entries()) expect(time - (times[n] ?? 0)).toBeGreaterThan(990)
      expect(lines().filter(({ status }) => status === 503)).toEqual([])
      expect(lines().filter(({ level }) => level >= 50)).toEqual([])
    })
  })
}
