/** The programs of docs/recipes/push-services.md, run as they stand there against doubles of Expo and OneSignal. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient, unwrap } from '@matchday/client'
import { Webhook } from 'standardwebhooks'
import { knownFan } from '../../fan/messages/messages-world.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const page = await Bun.file(`${import.meta.dir}/../../../docs/recipes/push-services.md`).text()
const [expo = '', oneSignal = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-push-services-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What an app sees of `expo-notifications`. */
const DOUBLE = `
let listener
export let granted = true
export let token = { type: 'ios', data: 'a1'.repeat(32) }
export const refuse = () => { granted = false }
export const roll = next => { token = next; listener?.(next) }
export const requestPermissionsAsync = async () => ({ granted })
export const getDevicePushTokenAsync = async () => token
export const addPushTokenListener = added => { listener = added; return { remove() { listener = undefined } } }
`

interface Program {
  registerPushes(client: Pick<Client, 'devices'>, deviceId: string): Promise<() => void>
}

interface Double {
  refuse(): void
  roll(next: { type: 'ios' | 'android'; data: string }): void
}

onEngine(sqliteEngine, 'The registration of docs/recipes/push-services.md', world => {
  test('registers the token of the device, and the one that replaces it, until it is stopped', async () => {
    const modules = join(folder, 'node_modules', 'expo-notifications')
    mkdirSync(modules, { recursive: true })
    writeFileSync(join(modules, 'package.json'), '{ "type": "module", "main": "index.js" }')
    writeFileSync(join(modules, 'index.js'), DOUBLE)
    writeFileSync(join(folder, 'registration.ts'), expo)
    // Guarantee of the casts: the code of the page, and the double above.
    const program = (await import(join(folder, 'registration.ts'))) as Program
    const phone = (await import(join(modules, 'index.js'))) as Double

    const registered: { kind: string; token: string }[] = []
    const next = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      arrived = resolve
      return promise
    }
    let arrived = () => {}
    const fetch = async (request: Request) => {
      // Guarantee of the cast: what the program sends is compared below.
      if (request.method === 'PUT')
        registered.push((await request.clone().json()) as (typeof registered)[number])
      const response = await world.app.handle(request)
      if (request.method === 'PUT') arrived()
      return response
    }
    const fan = await knownFan(world)
    const client = createClient({
      origin: 'http://api.example',
      fetch: (input, init) => fetch(new Request(input, init)),
    })
    await unwrap(client.session.signIn(await world.idp.issueToken(fan.subject)))
    const stop = await program.registerPushes(client, 'phone')
    expect(registered).toMatchObject([{ kind: 'apns', token: 'a1'.repeat(32) }])
    const replaced = next()
    phone.roll({ type: 'android', data: 'token-of-firebase' })
    await replaced
    expect(registered.at(-1)).toMatchObject({ kind: 'fcm', token: 'token-of-firebase' })
    const { devices } = await unwrap(client.devices.list())
    expect(devices).toMatchObject([{ deviceId: 'phone', kind: 'fcm' }])
    stop()
    phone.roll({ type: 'android', data: 'another-token' })
    phone.refuse()
    await program.registerPushes(client, 'other-phone')
    expect(registered).toHaveLength(2)
  })
})

test('the receiver of docs/recipes/push-services.md tells OneSignal once, and asks for a repeat if one helps', async () => {
  const secret = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`
  const webhook = new Webhook(secret)
  let status = 200
  const got: { path: string; authorization: string | null; body: Record<string, unknown> }[] = []
  const service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const authorization = request.headers.get('authorization')
      const body = (await request.json()) as Record<string, unknown>
      got.push({ path: new URL(request.url).pathname, authorization, body })
      return Response.json({ id: '', errors: ['All included players are not subscribed'] }, { status })
    },
  })
  const file = join(folder, 'receiver.ts')
  writeFileSync(file, oneSignal.replace('{ port:', "{ hostname: '127.0.0.1', port:"))
  const receiver = Bun.spawn([process.execPath, file], {
    env: {
      ...{ PATH: process.env.PATH ?? '', PORT: '0', WEBHOOK_SECRET: secret },
      ...{ ONESIGNAL_URL: service.url.origin, ONESIGNAL_APP_ID: 'app', ONESIGNAL_KEY: 'key' },
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  try {
    const { value: line } = await receiver.stdout.getReader().read()
    const url = /http:\S+/.exec(new TextDecoder().decode(line))?.[0] ?? ''
    const send = async (id: string, message: object, { at = new Date(), signed = message } = {}) => {
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        // The signature of another secret first, as while one is replaced.
        'webhook-signature': `v1,AAAA ${webhook.sign(id, at, JSON.stringify(signed))}`,
      }
      return (await fetch(url, { method: 'POST', body: JSON.stringify(message), headers })).status
    }
    const offered = { type: 'trade.offered', data: { userId: 'fan-1', sequence: 3 } }
    expect([await send('one', offered), await send('one', offered), await send('two', offered)]).toEqual([
      204, 204, 204,
    ])
    expect(got[0]).toEqual({
      path: '/notifications',
      authorization: 'Key key',
      body: {
        app_id: 'app',
        target_channel: 'push',
        include_aliases: { external_id: ['fan-1'] },
        contents: { en: 'You have a new trade offer.', pt: 'Tens uma nova proposta de troca.' },
        idempotency_key: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
      },
    })
    const keys = got.map(({ body }) => body.idempotency_key)
    expect([keys[1] === keys[0], keys[2] === keys[0]]).toEqual([true, false])
    expect(await send('three', { type: 'points.changed', data: { userId: 'fan-1' } })).toBe(204)
    expect(await send('four', offered, { signed: { ...offered, type: 'trade.completed' } })).toBe(401)
    expect(await send('five', offered, { at: new Date(Date.now() - 400_000) })).toBe(401)
    expect(got).toHaveLength(3)
    for (const [answer, expected] of [
      [500, 503],
      [429, 503],
      [401, 503],
      [400, 204],
    ] as const) {
      status = answer
      expect(await send(`of ${answer}`, offered)).toBe(expected)
    }
    await service.stop(true)
    expect(await send('six', offered)).toBe(503)
  } finally {
    receiver.kill()
    await receiver.exited
    await service.stop(true)
  }
  expect((await new Response(receiver.stderr).text()).trim().split('\n')).toEqual(
    [500, 429, 401, 400].map(answer => `of ${answer}: OneSignal answers ${answer}`),
  )
})
