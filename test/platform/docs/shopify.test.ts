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
      let down = true
      const api = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: request => (down ? new Response(null, { status: 502 }) : world.app.handle(request)),
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
        const order = (id: number, email: string | null) => ({
          ...{ id, email, total_price: '49.95', currency: 'EUR' },
          processed_at: new Date(world.clock.ms).toISOString().replace('.000Z', '+00:00'),
        })
        const send = async (body: string, secret = SECRET) => {
          const signature = createHmac('sha256', secret).update(body).digest('base64')
          const headers = { 'x-shopify-hmac-sha256': signature }
          return (await fetch(url, { method: 'POST', body, headers })).status
        }
        const balance = async () => (await fan.get('/api/user/points')).body.balance
        const paid = JSON.stringify(order(1_001, 'Ada@example.com'))
        expect(await send(paid)).toBe(503)
        down = false
        expect(await send(paid)).toBe(204)
        expect(await balance()).toBe(49)
        expect(await send(paid)).toBe(204)
        expect(await send(paid, 'another secret')).toBe(401)
        expect(await send(JSON.stringify(order(1_002, 'nobody@example.com')))).toBe(204)
        expect(await send(JSON.stringify(order(1_003, null)))).toBe(204)
        expect(await balance()).toBe(49)
        expect(await send(JSON.stringify(order(1_004, 'ada@example.com')))).toBe(204)
        expect(await balance()).toBe(98)
      } finally {
        receiver.kill()
        await receiver.exited
        await api.stop(true)
        rmSync(folder, { recursive: true })
      }
      expect(await new Response(receiver.stderr).text()).toBe('order 1002: fan_not_found\n')
    })
  },
  { env: { FANS_BY_EMAIL: 'on' } },
)
