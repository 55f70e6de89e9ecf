/** The receiver of docs/recipes/shopify.md, run as it stands there. */
import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexEmails } from '../../../src/identity/users/emails.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const page = await Bun.file(`${import.meta.dir}/../../../docs/recipes/shopify.md`).text()
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
const SECRET = 'shpss_of_the_test'

onEngine(
  sqliteEngine,
  'The receiver of docs/recipes/shopify.md',
  world => {
    test('turns each signed order into points of the fan once, also when the API was down', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/profile', {})
      await deliver(world, updated(world, fan.subject, { email: 'ada@example.com', email_verified: true }))
      await indexEmails(world.deps)
      await addRule(world, {
        eventType: 'shop.order.paid',
        points: { per: '/amount', every: 100, points: 1 },
      })
      /** A response of the API instead of the application. */
      let outage: (() => Response) | null = null
      const api = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: request => outage?.() ?? world.app.handle(request),
      })
      const folder = mkdtempSync(join(tmpdir(), 'matchday-shopify-'))
      const file = join(folder, 'receiver.ts')
      writeFileSync(file, program.replace('{ port:', "{ hostname: '127.0.0.1', port:"))
      const receiver = Bun.spawn([process.execPath, file], {
        env: {
          ...{ PATH: process.env.PATH ?? '', PORT: '0', SHOPIFY_SECRET: SECRET },
          MATCHDAY_KEY: await world.serverKey(['events:write'], { source: 'shopify' }),
          MATCHDAY_URL: api.url.origin,
        },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      try {
        const { value: line } = await receiver.stdout.getReader().read()
        const url = /http:\S+/.exec(new TextDecoder().decode(line))?.[0] ?? ''
        const order = (id: bigint, email: string | null) =>
          JSON.stringify({
            ...{ id: 0, email, total_price: '49.95', currency: 'EUR' },
            admin_graphql_api_id: `gid://shopify/Order/${id}`,
            processed_at: new Date(world.clock.ms).toISOString().replace('.000Z', '+00:00'),
          }).replace('"id":0', `"id":${id}`)
        const send = async (body: string, secret = SECRET) => {
          const signature = createHmac('sha256', secret).update(body).digest('base64')
          const headers = { 'x-shopify-hmac-sha256': signature }
          return (await fetch(url, { method: 'POST', body, headers })).status
        }
        const balance = async () => (await fan.get('/api/user/points')).body.balance
        const long = 820_982_911_946_154_508n
        const paid = order(long, 'Ada@example.com')
        for (const status of [502, 503, 500, 429, 408]) {
          outage = () => new Response('<h1>Bad gateway</h1>', { status })
          expect(await send(paid)).toBe(503)
        }
        outage = () => Response.json({ results: [{ id: 'order-1', code: 'internal_error' }] })
        expect(await send(paid)).toBe(503)
        outage = () => new Response('a page of a proxy')
        expect(await send(paid)).toBe(503)
        outage = null
        expect(await send(paid)).toBe(204)
        expect(await balance()).toBe(49)
        expect(await send(paid)).toBe(204)
        expect(await send(paid, 'another secret')).toBe(401)
        expect(await balance()).toBe(49)
        // Another order, although a double cannot tell the numbers apart.
        expect(await send(order(long + 1n, 'ada@example.com'))).toBe(204)
        expect(await balance()).toBe(98)
        // Permanent refusals are acknowledged, so that Shopify keeps the webhook.
        expect(await send(order(1_002n, 'nobody@example.com'))).toBe(204)
        expect(await send(order(1_003n, null))).toBe(204)
        expect(await send(paid.replace('49.95', '59.95'))).toBe(204)
        expect(await send(order(1_004n, 'ada@example.com').replace('+00:00', ''))).toBe(204)
        for (const [status, code] of [
          [401, 'invalid_server_key'],
          [422, 'validation_failed'],
        ] as const) {
          outage = () => Response.json({ code }, { status })
          expect(await send(order(1_005n, 'ada@example.com'))).toBe(204)
        }
        outage = null
        for (const body of ['{', 'null', '{}', '{"id":1005,"email":"ada@example.com"}'])
          expect(await send(body)).toBe(204)
        expect(await balance()).toBe(98)
      } finally {
        receiver.kill()
        await receiver.exited
        await api.stop(true)
        rmSync(folder, { recursive: true })
      }
      expect((await new Response(receiver.stderr).text()).trim().split('\n')).toEqual([
        'order 1002: fan_not_found',
        `order 820982911946154508: event_id_reused`,
        'order 1004: 422 validation_failed',
        'order 1005: 401 invalid_server_key',
        'order 1005: 422 validation_failed',
        ...Array.from({ length: 4 }, () => 'a delivery is not an order'),
      ])
    })
  },
  { env: { FANS_BY_EMAIL: 'on' } },
)
