/** `bun run webhooks` as a command, while an application sends. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import type { Dispatcher } from '../../src/delivery/webhooks/dispatcher.ts'
import { type Receiver, startReceiver } from '../delivery/webhooks/receiver.ts'
import {
  dispatcherOf,
  drain,
  happen,
  newFan,
  removeEndpoints,
  statesOf,
} from '../delivery/webhooks/webhooks-world.ts'
import { engines } from '../support/engines.ts'
import { freePort } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine, type World } from '../support/world.ts'
import { runScript, startScript } from './run-script.ts'

const environmentOf = ({ config, databaseUrl }: World) => ({
  DATABASE_URL: databaseUrl ?? '',
  NATIVE_TOKEN_KEY: JSON.stringify(config.nativeTokens.key),
  IDP_WEBHOOK_SECRET: config.identity.webhookSecret,
})

const run = (world: World, parameters: string[], env: Record<string, string> = {}) =>
  runScript('webhooks', parameters, { env: { ...environmentOf(world), ...env } })

async function runJson(world: World, parameters: string[]) {
  const { code, out, err } = await run(world, [...parameters, '--json'])
  return { code, err, json: JSON.parse(out || '{}') }
}

for (const engine of engines) {
  onEngine(engine, 'bun run webhooks', world => {
    let receiver: Receiver
    let dispatcher: Dispatcher
    beforeEach(() => {
      world.clock.ms = Date.now()
      receiver = startReceiver()
      dispatcher = dispatcherOf(world)
    })
    afterEach(async () => {
      await dispatcher.stop()
      await receiver.stop()
      await removeEndpoints(world)
    })

    const add = async (...types: string[]) => {
      const { json } = await runJson(world, ['add', receiver.url, '--type', ...types])
      return json as { id: string; secret: string }
    }

    test('add prints the signing secret, which is never shown again', async () => {
      const added = await run(world, [
        'add',
        receiver.url,
        '--type',
        'reward.claimed',
        'quest.*',
        'e-sport.2026.*',
      ])
      expect(added.code).toBe(0)
      expect(added.out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/)
      const id = /Endpoint (\S+)\./.exec(added.err)?.[1] ?? ''
      const secret = added.out.trim()

      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      const [delivery] = receiver.received
      new Webhook(secret).verify(delivery?.text ?? '', delivery?.headers ?? {})

      const shown = await run(world, ['show', id])
      expect(shown.out).toContain('reward.claimed quest.* e-sport.2026.*')
      expect(shown.out).toMatch(/state +active/)
      const listed = await run(world, ['list'])
      expect(listed.out).toBe(
        `${id}  active  0 pending  ${receiver.url}  reward.claimed quest.* e-sport.2026.*\n`,
      )
      const rows = await world.db.read.select().from(world.db.tables.webhookEndpoints)
      expect(shown.out + listed.out + JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length))
    })

    test.each([
      [
        'a type that the application does not have',
        ['http://127.0.0.1/', '--type', 'reward.claimd'],
        'reward.claimd is no type of the application: did you mean reward.claimed?',
      ],
      ['a pattern within a word', ['http://127.0.0.1/', '--type', 'rew*'], 'rew* is no type'],
      ['a type of one word', ['http://127.0.0.1/', '--type', 'purchase'], 'purchase is no type'],
      ['a type in upper case', ['http://127.0.0.1/', '--type', 'Shop.Purchase'], 'Shop.Purchase is no type'],
      ['no type', ['http://127.0.0.1/'], 'add requires --type'],
      ['no URL', ['--type', '*'], 'add requires a URL'],
      ['another scheme', ['ftp://example.com/', '--type', '*'], 'must be an http or https URL'],
      ['credentials', ['http://user:word@example.com/', '--type', '*'], 'must have no credentials'],
      [
        'an option of another action',
        ['http://127.0.0.1/', '--type', '*', '--failed'],
        'add takes no --failed',
      ],
    ])('add refuses %s, and adds nothing', async (_, parameters, message) => {
      const { code, out, err } = await run(world, ['add', ...parameters])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(message)
      expect((await runJson(world, ['list'])).json.endpoints).toEqual([])
    })

    test('add takes a type that other systems report, and sends it', async () => {
      const { id } = await add('shop.purchase')
      const fan = await newFan(world)
      for (const type of ['shop.purchase', 'shop.refund'])
        await happen(world, fan, { type, source: 'shop', data: {} })
      await drain(world, dispatcher)
      expect(await statesOf(world, id)).toEqual(['delivered'])
      expect(receiver.received.map(({ body }) => body.type)).toEqual(['shop.purchase'])
    })

    test.each([
      ['reward.claimed', 'userId', 'rewardId'],
      ['points.changed', 'userId', 'balance'],
      ['match.updated', 'matchId', 'revision'],
      ['shop.purchase', 'userId', 'data'],
    ])('test --type %s sends its example', async (type, subject, member) => {
      const { id, secret } = await add('*')
      expect((await run(world, ['test', id, '--type', type])).code).toBe(0)
      const [sent] = receiver.received
      new Webhook(secret).verify(sent?.text ?? '', sent?.headers ?? {})
      expect(sent?.body).toMatchObject({
        type,
        data: { [subject]: expect.any(String), sequence: expect.any(Number), [member]: expect.anything() },
      })
    })

    test('test refuses a pattern, several types, and a typing error', async () => {
      const { id } = await add('*')
      for (const types of [['quest.*'], ['reward.claimed', 'pack.opened'], ['pack.open']])
        expect((await run(world, ['test', id, '--type', ...types])).code).toBe(2)
      expect(receiver.received).toEqual([])
    })

    test('replay --dry-run prints how many deliveries it would send again, and sends none', async () => {
      const { id } = await add('*')
      for (let n = 0; n < 3; n++) await happen(world, await newFan(world))
      await drain(world, dispatcher)
      const { code, out } = await run(world, ['replay', id, '--since', '2026-01-01', '--dry-run'])
      expect([code, out]).toEqual([0, 'Nothing was changed. 3 deliveries would be pending again.\n'])
      const { json } = await runJson(world, ['replay', id, '--since', '2099-01-01', '--dry-run'])
      expect(json).toMatchObject({ replayed: 0 })
      expect(await statesOf(world, id)).toEqual(Array(3).fill('delivered'))
    })

    test('rotate prints another secret, and both sign', async () => {
      const { id, secret } = await add('*')
      const { json } = await runJson(world, ['rotate', id])
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      const { text, headers } = receiver.received[0] as (typeof receiver.received)[number]
      for (const either of [secret, json.secret]) new Webhook(either).verify(text, headers)
      expect((await run(world, ['show', id])).out).toContain('previous secret  signs until')
    })

    test('disable, enable and remove say what they changed, and repeat without effect', async () => {
      const { id } = await add('*')
      expect((await runJson(world, ['disable', id, '--dry-run'])).json).toMatchObject({
        changed: 1,
        dryRun: true,
      })
      expect((await run(world, ['disable', id])).out).toContain(`${id} is disabled.`)
      expect((await run(world, ['disable', id])).out).toBe(`${id} was disabled. Nothing was changed.\n`)
      expect((await run(world, ['list'])).out).toContain('disabled (operator) since')
      await happen(world, await newFan(world))
      await drain(world, dispatcher)
      expect((await run(world, ['list'])).out).toMatch(/ {2}1 pending since \S+Z {2}http/)
      expect(receiver.received).toEqual([])
      expect((await run(world, ['enable', id])).out).toBe(`${id} is enabled.\n`)
      expect((await run(world, ['enable', id])).out).toBe(`${id} was enabled. Nothing was changed.\n`)
      await drain(world, dispatcher)
      expect(receiver.received).toHaveLength(1)
      expect((await run(world, ['remove', id])).out).toContain('Nothing was changed.')
      expect((await run(world, ['remove', id, '--yes'])).out).toBe(`${id} is removed.\n`)
      expect(await run(world, ['show', id])).toEqual({
        code: 1,
        out: '',
        err: `There is no endpoint ${id}.\n`,
      })
      expect(await world.db.read.select().from(world.db.tables.webhookDeliveries)).toEqual([])
    })

    test('test sends a signed message, and exits with 1 when it is not received', async () => {
      const { id, secret } = await add('reward.claimed')
      expect(await run(world, ['test', id])).toEqual({ code: 0, out: '204\n', err: '' })
      const { text, headers, body } = receiver.received[0] as (typeof receiver.received)[number]
      new Webhook(secret).verify(text, headers)
      expect(body.type).toBe('webhook.test')
      receiver.behave(() => new Response('no such hook', { status: 404 }))
      expect(await run(world, ['test', id])).toEqual({ code: 1, out: '404 no such hook\n', err: '' })
    })

    test('deliveries shows what failed with its last response, and replay sends it again', async () => {
      const { id } = await add('*')
      const fan = await newFan(world)
      await happen(world, fan)
      await drain(world, dispatcher)
      receiver.behave(() => new Response('out of order', { status: 500 }))
      await happen(world, fan, { type: 'reward.redeemed' })
      await drain(world, dispatcher)
      const failed = await run(world, ['deliveries', '--endpoint', id, '--failed'])
      expect(failed.out.trim().split('\n')).toHaveLength(1)
      expect(failed.out).toContain(`${fan} 2  reward.redeemed  pending (1, next `)
      expect(failed.out).toContain('500 out of order')
      const { json } = await runJson(world, ['deliveries'])
      expect(json.deliveries).toMatchObject([
        { endpointId: id, sequence: 2, state: 'pending', attempts: 1 },
        { endpointId: id, sequence: 1, state: 'delivered', attempts: 1, status: 204 },
      ])
      receiver.behave(undefined)
      receiver.received.length = 0
      expect((await run(world, ['replay', id, '--since', '2026-01-01'])).out).toBe(
        '2 deliveries are pending again.\n',
      )
      // The command has the clock of the machine.
      world.clock.ms = Date.now()
      await drain(world, dispatcher)
      expect(receiver.order()).toEqual([`${fan} 1`, `${fan} 2`])
      expect(await statesOf(world, id)).toEqual(['delivered', 'delivered'])
    })

    test('listen adds an endpoint, prints a line for each delivery, and removes it at Ctrl-C', async () => {
      const child = startScript('webhooks', ['listen', '--forward-to', receiver.url], {
        env: { ...environmentOf(world), NODE_ENV: 'development' },
      })
      const { webhookEndpoints } = world.db.tables
      await waitUntil(
        'it listens',
        async () => (await world.db.read.select().from(webhookEndpoints)).length === 1,
      )
      await happen(world, await newFan(world), { type: 'shop.purchase', source: 'shop' })
      await drain(world, dispatcher)
      const reader = child.stdout.getReader()
      const line = new TextDecoder().decode((await reader.read()).value)
      expect(line).toMatch(/^shop\.purchase {2}\S+ 1 {2}204\n$/)
      child.kill('SIGINT')
      expect(await child.exited).toBe(0)
      expect(await world.db.read.select().from(webhookEndpoints)).toEqual([])
    })

    test.each([
      ['listen', ['listen', '--forward-to', 'https://hooks.example.com/'], 'listen is for development'],
      ['a plain URL', ['add', 'http://hooks.example.com/', '--type', '*'], 'must use https in production'],
      [
        'an internal address',
        ['add', 'https://10.0.0.1/', '--type', '*'],
        'must be a public address in production',
      ],
    ])('production refuses %s', async (_, parameters, message) => {
      const { code, err } = await run(world, parameters, {
        NODE_ENV: 'production',
        NATIVE_TOKEN_KEY: JSON.stringify({ ...world.config.nativeTokens.key, kid: 'own' }),
        IDP_WEBHOOK_SECRET: `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`,
        IDP_ISSUER: 'https://login.example.com',
        IDP_AUDIENCE: 'matchday-api',
        IDP_NAME: 'example',
        PUSH_CREDENTIALS: '',
      })
      expect(code).toBeGreaterThan(0)
      expect(err).toContain(message)
    })

    test('the receiver of docs/webhooks.md verifies messages and ignores repeated ones', async () => {
      const page = readFileSync(join(import.meta.dir, '../../docs/webhooks.md'), 'utf8')
      const [, source = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
      const port = freePort()
      const { json } = await runJson(world, ['add', `http://127.0.0.1:${port}/`, '--type', '*'])
      const child = Bun.spawn([process.execPath, '-e', source], {
        cwd: join(import.meta.dir, '../..'),
        env: { PATH: process.env.PATH ?? '', PORT: String(port), WEBHOOK_SECRET: json.secret },
        stdout: 'pipe',
        stderr: 'ignore',
      })
      try {
        await waitUntil('the receiver listens', () =>
          fetch(`http://127.0.0.1:${port}/`).then(
            () => true,
            () => false,
          ),
        )
        const fan = await newFan(world)
        await happen(world, fan)
        await drain(world, dispatcher)
        expect((await run(world, ['replay', json.id, '--since', '2026-01-01'])).code).toBe(0)
        world.clock.ms = Date.now()
        await happen(world, fan, { type: 'reward.redeemed' })
        await drain(world, dispatcher)
        expect(await statesOf(world, json.id)).toEqual(['delivered', 'delivered'])
        const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })
        expect(forged.status).toBe(500)
      } finally {
        child.kill()
      }
      const printed = await new Response(child.stdout).text()
      expect(printed.match(/^reward\.\w+/gm)).toEqual(['reward.claimed', 'reward.redeemed'])
    })
  })
}
