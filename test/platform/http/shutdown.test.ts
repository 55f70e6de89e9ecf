/** Shutdown of a process under load, and an older process on a newer schema: with real processes and sockets. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { connectSqlite } from '../../../db/sqlite/connection.ts'
import { createClock } from '../../support/clock.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { programOf } from '../../support/executable.ts'
import {
  freePort,
  type RunningApi,
  type RunningProvider,
  startApi,
  startProvider,
} from '../../support/processes.ts'
import { waitUntil } from '../../support/wait-until.ts'

const FANS = 100
/** Long enough for two requests at once of a busy machine. */
const GRACE_MS = 5_000
/** Pause of each client, before the process stops listening. */
const PAUSE_MS = 100

/** Runs statements as a newer version's migration would. */
async function execute(url: string, statements: string[]): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const connection = connectSqlite(url.slice('sqlite:'.length))
    for (const statement of statements) connection.run(statement)
    connection.close()
    return
  }
  const client = new SQL(url, { max: 1 })
  for (const statement of statements) await client.unsafe(statement)
  await client.close()
}

/** A connection as a proxy keeps it: several requests, one after another. */
async function openConnection(port: number) {
  let answered = Promise.withResolvers<string>()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => answered.resolve(bytes.toString()),
      close: () => answered.reject(new Error('closed without an answer')),
    },
  })
  return {
    /** The head of the answer, which is short enough to come at once. */
    send(request: string) {
      answered = Promise.withResolvers()
      socket.write(request)
      return answered.promise
    },
    end: () => socket.end(),
  }
}

for (const engine of engines) {
  describe(`Leaving (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    const running = new Set<RunningApi>()

    beforeAll(async () => {
      provider = await startProvider({ fans: FANS })
    })
    afterAll(() => provider.stop())
    beforeEach(async () => {
      temporary = await engine.open(createClock())
    })
    afterEach(async () => {
      for (const api of running) await api.stop('SIGKILL')
      running.clear()
      await temporary.remove()
    })

    async function start(env: Record<string, string> = {}) {
      const api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer, ...env })
      running.add(api)
      return api
    }
    const tokenOf = (n: number) => provider.idp.issueToken(`fan-${String(n).padStart(4, '0')}`)
    const logged = ({ output, process: child }: RunningApi, message: string) =>
      waitUntil(`"${message}" is logged`, () => {
        if (child.exitCode !== null) throw new Error(`left before "${message}"`)
        return output.some(line => line.includes(`"msg":"${message}"`))
      })

    test('SIGTERM under load: first unready while serving, then every accepted request gets its response, and the exit code is 0', async () => {
      const api = await start({ DRAIN_GRACE_MS: String(GRACE_MS) })
      const tokens = await Promise.all(Array.from({ length: FANS }, (_, n) => tokenOf(n + 1)))
      const acknowledged: string[] = []
      const others: number[] = []
      let told = 0
      let next = 0
      let stoppedAt = Number.POSITIVE_INFINITY
      /** At full speed before the signal, and around the end of the grace period, where requests could be lost. */
      async function pause() {
        const since = performance.now() - stoppedAt
        if (since < 0 || since > GRACE_MS - 500) return
        const isOver = () => performance.now() - stoppedAt > since + PAUSE_MS
        await waitUntil('the pause ends', isOver, undefined, PAUSE_MS)
      }
      /** A client that continues until nobody listens. */
      async function client() {
        for (;;) {
          await pause()
          const n = next++
          const deviceName = `device ${n}`
          try {
            const response = await fetch(`${api.origin}/api/auth/native-token`, {
              method: 'POST',
              headers: { authorization: `Bearer ${tokens[n % FANS]}`, 'content-type': 'application/json' },
              body: JSON.stringify({ deviceName }),
            })
            await response.json()
            if (response.status === 200) acknowledged.push(deviceName)
            else others.push(response.status)
            if (response.headers.get('connection') === 'close') told++
          } catch {
            // Refused, or reset in the queue of connections that nobody has taken yet: it did not get in.
            return
          }
        }
      }
      const clients = Array.from({ length: 16 }, client)
      await waitUntil('50 sign-ins are answered', () => acknowledged.length >= 50)
      api.process.kill('SIGTERM')
      stoppedAt = performance.now()
      await logged(api, 'stopping')

      const [ready, alive] = await Promise.all([
        fetch(`${api.origin}/readyz`),
        fetch(`${api.origin}/healthz`),
      ])
      expect([ready.status, ready.headers.get('cache-control')]).toEqual([503, 'no-store'])
      expect(await ready.json()).toMatchObject({ status: 'not_ready', checks: { process: 'stopping' } })
      expect([alive.status, alive.headers.get('connection')]).toEqual([200, 'close'])

      await Promise.all(clients)
      expect(await api.exited).toBe(0)
      expect(others).toEqual([])
      expect(told).toBeGreaterThan(0)
      // Every acknowledged write happened once, and every write was acknowledged: no accepted request was lost.
      const { read, tables } = temporary.db
      const devices = (await read.select().from(tables.nativeSessions)).map(
        ({ deviceName }) => deviceName ?? '',
      )
      expect(devices.toSorted()).toEqual(acknowledged.toSorted())
    })

    test('after SIGTERM a kept-alive connection gets an answer that closes it, and new connections are accepted', async () => {
      // Longer than the test: it ends by SIGKILL.
      const api = await start({ DRAIN_GRACE_MS: '600000' })
      const port = Number(new URL(api.origin).port)
      const kept = await openConnection(port)
      const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
      expect(await kept.send(request)).not.toMatch(/^connection: close\r$/im)
      api.process.kill('SIGTERM')
      await logged(api, 'stopping')
      const opened = await openConnection(port)
      for (const connection of [kept, opened]) {
        const answer = await connection.send(request)
        expect(answer).toStartWith('HTTP/1.1 200 ')
        expect(answer).toMatch(/^connection: close\r$/im)
        connection.end()
      }
    })

    test('SIGHUP drains as SIGTERM does, with workers as well', async () => {
      for (const WORKERS of ['1', '2']) {
        const api = await start({ WORKERS, PORT: String(freePort()) })
        const listening = () => api.output.filter(line => line.includes('"msg":"listening"')).length
        await waitUntil('all processes listen', () => listening() === Number(WORKERS))
        expect(await api.stop('SIGHUP')).toBe(0)
        expect(api.output.join('\n')).toContain('"signal":"SIGHUP"')
        expect(api.output.join('\n')).toContain('"msg":"stopped"')
      }
    })

    test('a process that was started to outlive its terminal ignores SIGHUP', async () => {
      const { command, ...program } = programOf('serve', 'src/main.ts')
      const nohup = { ...program, command: ['/bin/sh', '-c', 'trap "" HUP; exec "$@"', 'sh', ...command] }
      const api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }, nohup)
      running.add(api)
      api.process.kill('SIGHUP')
      expect((await fetch(`${api.origin}/healthz`)).status).toBe(200)
      expect(await api.stop('SIGTERM')).toBe(0)
      expect(api.output.join('\n')).toContain('"signal":"SIGTERM"')
    })

    test('a request that never ends is aborted at the deadline, with exit code 1', async () => {
      const api = await start({ DRAIN_TIMEOUT_MS: '50' })
      const { idp } = provider
      await idp.handle(
        new Request(`${provider.issuer}/_mock/faults`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ match: 'userinfo', kind: 'hang' }),
        }),
      )
      const asked = async () => {
        const response = await idp.handle(new Request(`${provider.issuer}/_mock/requests?path=/userinfo`))
        return ((await response.json()) as { requests: unknown[] }).requests.length > 0
      }
      const hanging = fetch(`${api.origin}/api/user/sync-mock-idp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await tokenOf(1)}` },
      }).catch(() => 'cut')
      await waitUntil('userinfo is asked', asked)
      api.process.kill('SIGTERM')
      expect(await api.exited).toBe(1)
      expect(api.output.join('\n')).toContain('requests did not finish in time')
      expect(await hanging).toBe('cut')
      await idp.handle(new Request(`${provider.issuer}/_mock/faults`, { method: 'DELETE' }))
    })

    test('an older version keeps serving after the additions of a newer one, and refuses to start after them', async () => {
      const older = await start()
      await execute(temporary.url ?? '', [
        'ALTER TABLE teams ADD COLUMN nickname text',
        `INSERT INTO "__drizzle_migrations" (hash, created_at) VALUES ('of a newer version', 4102444800000)`,
      ])
      const headers = { authorization: `Bearer ${await tokenOf(2)}`, 'content-type': 'application/json' }
      const profile = { method: 'POST', headers, body: '{"bio":"still here"}' }
      const written = await fetch(`${older.origin}/api/user/profile`, profile)
      expect([200, 201]).toContain(written.status)
      for (const path of ['/readyz', '/api/teams', '/api/user/profile'])
        expect([path, (await fetch(older.origin + path, { headers })).status]).toEqual([path, 200])
      await expect(start()).rejects.toThrow('1 migration ahead of this version of Matchday')
    })
  })
}
