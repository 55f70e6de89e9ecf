/** `WORKERS=n`: several processes on one port, and what one of them does holds in all at once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import {
  freePort,
  type RunningApi,
  type RunningProvider,
  startApi,
  startProvider,
} from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

const WORKERS = 3

for (const engine of engines) {
  describe(`Workers (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let api: RunningApi
    const running: RunningApi[] = []

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      provider = await startProvider({ fans: 5 })
      api = await startWorkers()
    })
    afterAll(async () => {
      await Promise.all(running.map(each => each.stop()))
      await provider.stop()
      await temporary.remove()
    })

    // Conditions that are polled read them again and again.
    const parsed = new WeakMap<RunningApi, ReturnType<typeof JSON.parse>[]>()
    function linesOf(running: RunningApi) {
      const lines = parsed.get(running) ?? []
      parsed.set(running, lines)
      for (const line of running.output.slice(lines.length)) lines.push(JSON.parse(line))
      return lines
    }
    const isListening = ({ msg }: { msg: string }) => msg === 'listening'
    const isStopped = ({ msg }: { msg: string }) => msg === 'stopped'
    async function startWorkers(): Promise<RunningApi> {
      const started = await startApi({
        DATABASE_URL: temporary.url ?? '',
        IDP_ISSUER: provider.issuer,
        WORKERS: String(WORKERS),
        PORT: String(freePort()),
        METRICS_PORT: '0',
      })
      running.push(started)
      await waitUntil('all workers listen', () => linesOf(started).filter(isListening).length === WORKERS)
      return started
    }
    const workerOf = (requestId: string) => linesOf(api).find(line => line.requestId === requestId)?.worker

    /** Until every worker has answered: a connection a request, which the system shares out. */
    async function askAll(path: string, token: string): Promise<{ status: number; body: unknown }[]> {
      const answers: { status: number; body: unknown }[] = []
      const heard = new Set<number>()
      await waitUntil('every worker answers', async () => {
        const requestId = crypto.randomUUID()
        const headers = { authorization: `Bearer ${token}`, connection: 'close', 'x-request-id': requestId }
        const response = await fetch(`${api.origin}${path}`, { headers, keepalive: false })
        answers.push({ status: response.status, body: await response.json() })
        heard.add(await waitUntil<number>('the worker logs the request', () => workerOf(requestId)))
        return heard.size === WORKERS
      })
      return answers
    }
    const send = (path: string, token: string, body: unknown, method = 'POST') =>
      fetch(`${api.origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })

    test('all workers listen and share the requests', async () => {
      const token = await provider.idp.issueToken('fan-0001')
      expect((await send('/api/user/onboarding', token, {})).status).toBe(200)
      for (const { status, body } of await askAll('/api/rewards', token)) {
        expect([status, body]).toMatchObject([200, { points: 100 }])
      }
    })

    test('a token that one worker logs out is refused by all, though each had accepted it', async () => {
      const token = await provider.idp.issueToken('fan-0002')
      for (const { status } of await askAll('/api/rewards', token)) expect(status).toBe(200)
      expect((await send('/api/auth/logout', token, {})).status).toBe(204)
      for (const { status } of await askAll('/api/rewards', token)) expect(status).toBe(401)
    })

    test('a logout is effective in all workers once its response is sent, also under load', async () => {
      const tokens = await Promise.all(Array.from({ length: 60 }, () => provider.idp.issueToken('fan-0004')))
      const reader = await provider.idp.issueToken('fan-0005')
      const statusOf = async (token: string) => {
        const headers = { authorization: `Bearer ${token}`, connection: 'close' }
        return (await fetch(`${api.origin}/api/rewards`, { headers, keepalive: false })).status
      }
      let done = false
      const load = Array.from({ length: 12 }, async () => {
        while (!done) expect(await statusOf(reader)).toBe(200)
      })
      const alive: number[] = []
      for (const [n, token] of tokens.entries()) {
        for (let warm = 0; warm < 2 * WORKERS; warm++) expect(await statusOf(token)).toBe(200)
        expect((await send('/api/auth/logout', token, {})).status).toBe(204)
        const statuses = await Promise.all(Array.from({ length: 8 }, () => statusOf(token)))
        if (statuses.some(status => status !== 401)) alive.push(n)
      }
      done = true
      await Promise.all(load)
      expect(alive).toEqual([])
    })

    test('all workers show the writes of one: immediately on SQLite, within a second on PostgreSQL', async () => {
      const token = await provider.idp.issueToken('fan-0003')
      await send('/api/user/onboarding', token, { profile: { displayName: 'Before' } })
      await askAll('/api/dashboard', token)
      await send('/api/user/profile', token, { displayName: 'After' }, 'PATCH')
      const named = (name: string) => ({ profile: { displayName: name } })
      // Not how soon: that it comes to it, and that SQLite never shows what was.
      if (temporary.db.engine === 'postgres') {
        const isOld = ({ body }: { body: unknown }) => JSON.stringify(body).includes('Before')
        await waitUntil(
          'every worker shows the change',
          async () => !(await askAll('/api/dashboard', token)).some(isOld),
        )
      }
      for (const { body } of await askAll('/api/dashboard', token)) expect(body).toMatchObject(named('After'))
    })

    // Only SQLite: PostgreSQL may serve a cached response for less than a second.
    if (engine.name === 'SQLite')
      test('a write is visible in all workers once its response is sent, also under load (SQLite)', async () => {
        const token = await provider.idp.issueToken('fan-0001')
        const reader = await provider.idp.issueToken('fan-0005')
        await send('/api/user/profile', token, { bio: 'Before' })
        const bioFrom = async (token: string) => {
          const headers = { authorization: `Bearer ${token}`, connection: 'close' }
          const response = await fetch(`${api.origin}/api/user/profile`, { headers, keepalive: false })
          const { bio }: { bio: string | null } = JSON.parse(await response.text())
          return bio
        }
        let done = false
        const load = Array.from({ length: 12 }, async () => {
          while (!done) await bioFrom(reader)
        })
        const old: unknown[] = []
        for (let n = 0; n < 25; n++) {
          const bio = `Change ${n}`
          expect((await send('/api/user/profile', token, { bio }, 'PATCH')).status).toBe(200)
          const seen = await Promise.all(Array.from({ length: 8 }, () => bioFrom(token)))
          old.push(...seen.filter(other => other !== bio))
        }
        done = true
        await Promise.all(load)
        expect(old).toEqual([])
      })

    const changesOf = (running: RunningApi) =>
      linesOf(running).flatMap(({ msg, worker = 0, logLevel }) =>
        msg === 'log level changed' ? [`${logLevel} ${worker}`] : [],
      )
    const everywhere = (level: string) => Array.from({ length: WORKERS + 1 }, (_, n) => `${level} ${n}`)

    test('SIGUSR2 changes the log level of all workers once, whichever processes receive it', async () => {
      const pids = linesOf(api).flatMap(({ msg, pid }) => (msg === 'worker started' ? [pid] : []))
      for (const level of ['debug', 'info']) {
        const from = changesOf(api).length
        const changes = () => changesOf(api).slice(from)
        for (const pid of [...pids, api.process.pid]) process.kill(pid, 'SIGUSR2')
        await waitUntil('all have changed', () => changes().length > WORKERS)
        expect(changes().toSorted()).toEqual(everywhere(level))
      }
    })

    test('each has metrics of its own, on a port of its own', async () => {
      const serving = linesOf(api).filter(({ msg }) => msg === 'serving metrics')
      expect(new Set(serving.map(({ url }) => url)).size).toBe(WORKERS)
      // Requests that only this test makes: others may be counted after their answers.
      const requestsOf = async ({ url, worker }: { url: string; worker: number }) => {
        const text = await (await fetch(url)).text()
        const [, count = 0] =
          /^matchday_http_requests_total\{operation="none",code="404"\} (\d+)$/m.exec(text) ?? []
        return { worker, requests: Number(count) }
      }
      const before = await Promise.all(serving.map(requestsOf))
      const requestId = crypto.randomUUID()
      const asked = await fetch(`${api.origin}/metrics`, { headers: { 'x-request-id': requestId } })
      expect(asked.status).toBe(404)
      const answered = await waitUntil('the worker logs the request', () => workerOf(requestId))
      const counted = ({ worker, requests }: { worker: number; requests: number }) => ({
        worker,
        requests: requests + Number(worker === answered),
      })
      expect(await Promise.all(serving.map(requestsOf))).toEqual(before.map(counted))
    })

    test('a killed worker is replaced, and all processes exit with 0 after SIGTERM', async () => {
      const doomed = await startWorkers()
      const { pid, worker } = linesOf(doomed).find(({ msg }) => msg === 'worker started')
      doomed.process.kill('SIGUSR2')
      await waitUntil('all log at debug', () => changesOf(doomed).length > WORKERS)
      process.kill(pid, 'SIGKILL')
      await waitUntil(
        'another worker listens',
        () => linesOf(doomed).filter(isListening).length === WORKERS + 1,
      )
      expect(linesOf(doomed)).toContainEqual(expect.objectContaining({ msg: 'a worker ended by itself' }))
      await waitUntil('the new one logs at debug', async () => {
        await fetch(`${doomed.origin}/nothing`, { headers: { connection: 'close' }, keepalive: false })
        return linesOf(doomed).some(line => line.msg === 'request refused' && line.worker === worker)
      })
      expect(await doomed.stop('SIGTERM')).toBe(0)
      expect(linesOf(doomed).filter(isStopped)).toHaveLength(WORKERS)
    })

    test('all stop when the first process is killed', async () => {
      const doomed = await startWorkers()
      await doomed.stop('SIGKILL')
      expect(linesOf(doomed).filter(isStopped)).toHaveLength(WORKERS)
    })
  })
}
