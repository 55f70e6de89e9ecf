/** One effect a key, among processes on one database and across the death of one: real sockets, real tokens. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { realSources } from '../../../src/core/sources.ts'
import { appendEntry } from '../../../src/economy/points/ledger.ts'
import { ensureUser } from '../../../src/identity/users/callers.ts'
import { addPack, purchaseRows } from '../../play/packs/packs-world.ts'
import type { Answer } from '../../support/client.ts'
import { engines, type TemporaryDatabase } from '../../support/engines.ts'
import { type RunningApi, type RunningProvider, startApi, startProvider } from '../../support/processes.ts'

const ATTEMPTS = 50
const PURCHASE = '/api/packs/purchase'

for (const engine of engines) {
  describe(`Idempotency-Key between processes (${engine.name})`, () => {
    let temporary: TemporaryDatabase
    let provider: RunningProvider
    let env: Record<string, string>
    let apis: RunningApi[]

    beforeAll(async () => {
      temporary = await engine.open(realSources)
      provider = await startProvider({ fans: 10 })
      env = { DATABASE_URL: temporary.url ?? '', IDP_ISSUER: provider.issuer }
      apis = await Promise.all([startApi(env), startApi(env)])
    })
    afterAll(async () => {
      await Promise.all(apis.map(api => api.stop()))
      await provider.stop()
      await temporary.remove()
    })

    const originOf = (n: number) => apis[n % 2]?.origin ?? ''

    async function call(origin: string, token: string, key: string, body: unknown) {
      const response = await fetch(origin + PURCHASE, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      })
      const replayed = response.headers.get('idempotent-replayed')
      return { status: response.status, replayed, body: (await response.json()) as Answer['body'] }
    }

    /** A fan with points, signed in. */
    async function richFan(subject: string): Promise<string> {
      await temporary.db.write(async tx => {
        const { user } = await ensureUser(tx, { provider: 'mock-idp', subject })
        await appendEntry(tx, { userId: user.id, delta: 10_000, reason: 'adjustment', ref: 'test' })
      })
      return provider.idp.issueToken(subject)
    }

    test(`${ATTEMPTS} identical requests at once: one effect, and each answer is the first’s or a 409`, async () => {
      const token = await richFan('fan-0001')
      const packId = await addPack(temporary)
      const keys = Array.from({ length: ATTEMPTS }, (_, n) => n)
      const answers = await Promise.all(keys.map(n => call(originOf(n), token, 'one', { packId })))

      expect(await purchaseRows(temporary, packId)).toHaveLength(1)
      const done = answers.filter(({ status }) => status === 201)
      expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(done.filter(({ replayed }) => replayed === null)).toHaveLength(1)
      const others = answers.filter(({ status }) => status !== 201)
      expect(new Set(others.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(others.length > 0 ? ['409 idempotency_in_progress'] : []),
      )
      const later = await Promise.all([0, 1].map(n => call(originOf(n), token, 'one', { packId })))
      for (const { body, replayed } of later) expect([replayed, body]).toEqual(['true', done[0]?.body])
    })

    test(`${ATTEMPTS} bodies under one key at once: one effect, and the others are refused`, async () => {
      const token = await richFan('fan-0002')
      const packIds = await Promise.all(Array.from({ length: ATTEMPTS }, () => addPack(temporary)))
      const answers = await Promise.all(
        packIds.map((packId, n) => call(originOf(n), token, 'many', { packId })),
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(answers.filter(({ body }) => body.code === 'idempotency_key_reused')).toHaveLength(ATTEMPTS - 1)
      const held = (await purchaseRows(temporary)).filter(row => packIds.includes(row.packId))
      expect(held).toHaveLength(1)
    })

    test('after a kill between commit and response, the retry returns the lost response', async () => {
      const token = await richFan('fan-0003')
      const packId = await addPack(temporary)
      const doomed = await startApi(env)
      const proxy = await killOnAnswer(doomed)
      const outcome = await call(proxy.origin, token, 'lost', { packId }).catch(error => error)
      expect(outcome).toBeInstanceOf(Error)
      await doomed.exited
      proxy.stop()

      // The effect was committed, and its client never heard of it.
      const [committed, ...more] = await purchaseRows(temporary, packId)
      expect(more).toEqual([])
      const revived = await startApi(env)
      const retry = await call(revived.origin, token, 'lost', { packId })
      await revived.stop()
      expect([retry.status, retry.replayed, retry.body.id]).toEqual([201, 'true', String(committed?.id)])
      expect(await purchaseRows(temporary, packId)).toHaveLength(1)
    })
  })
}

/** Passes requests on to an API, and kills it at the first byte of its answer, which goes nowhere. */
async function killOnAnswer(api: RunningApi) {
  const { hostname, port } = new URL(api.origin)
  const listener = Bun.listen<{ upstream?: Promise<Bun.Socket> }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        const end = () => void client.terminate()
        const data = () => api.process.kill('SIGKILL')
        client.data = {
          upstream: Bun.connect({ hostname, port: Number(port), socket: { data, close: end, error: end } }),
        }
      },
      async data(client, bytes) {
        const copy = Buffer.from(bytes)
        const upstream = await client.data.upstream
        upstream?.write(copy)
      },
    },
  })
  return { origin: `http://127.0.0.1:${listener.port}`, stop: () => listener.stop(true) }
}
