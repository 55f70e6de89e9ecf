/** The receiver of docs/recipes/pretix.md, run as it stands there against a double of pretix. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { indexEmails } from '../../../src/identity/users/emails.ts'
import { membershipKind } from '../../../src/play/memberships/membership-kind.ts'
import { addRule } from '../../economy/rules/rules-world.ts'
import { deliver, updated } from '../../identity/users/deliveries.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const page = await Bun.file(`${import.meta.dir}/../../../docs/recipes/pretix.md`).text()
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
const SECRET = 'secret-of-the-test'
const DAY_MS = 86_400_000

onEngine(
  sqliteEngine,
  'The receiver of docs/recipes/pretix.md',
  world => {
    test('keeps memberships and check-ins of orders, in any order of deliveries, also after an outage', async () => {
      const fan = await world.fan()
      await fan.post('/api/user/profile', {})
      await deliver(world, updated(world, fan.subject, { email: 'ada@example.com', email_verified: true }))
      await indexEmails(world.deps)
      await world.db.write(tx => membershipKind.upsert(tx, { id: 'season-ticket', name: 'Season ticket' }))
      await addRule(world, { eventType: 'ticket.checked_in', points: { fixed: 10 } })
      const at = (days: number) => new Date(world.clock.ms + days * DAY_MS).toISOString()

      /** As pretix stores it. */
      const position = {
        ...{
          id: 23_442,
          positionid: 1,
          item: 1345,
          price: '230.00',
          canceled: false,
          attendee_name: 'Ada Okafor',
        },
        attendee_email: 'Ada@example.com' as string | null,
        checkins: [] as object[],
      }
      const order = { code: 'ABC12', status: 'n', email: 'buyer@example.com', positions: [position] }
      let asked = 0
      const pretix = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch(request) {
          const { pathname, searchParams } = new URL(request.url)
          asked++
          if (request.headers.get('authorization') !== 'Token token-of-the-team')
            return Response.json({ detail: 'Invalid token.' }, { status: 401 })
          expect(searchParams.get('include_canceled_positions')).toBe('true')
          return pathname === '/api/v1/organizers/club/events/season-26/orders/ABC12/'
            ? Response.json(order)
            : Response.json({ detail: 'Not found.' }, { status: 404 })
        },
      })
      /** A status of the API instead of the application. */
      let outage: number | null = null
      const api = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: request =>
          outage === null ? world.app.handle(request) : new Response('', { status: outage }),
      })
      const folder = mkdtempSync(join(tmpdir(), 'matchday-pretix-'))
      const file = join(folder, 'receiver.ts')
      writeFileSync(file, program.replace('{ port:', "{ hostname: '127.0.0.1', port:"))
      const receiver = Bun.spawn([process.execPath, file], {
        env: {
          ...{ PATH: process.env.PATH ?? '', PORT: '0', WEBHOOK_SECRET: SECRET },
          ...{ PRETIX_URL: pretix.url.origin, PRETIX_ORGANIZER: 'club', PRETIX_TOKEN: 'token-of-the-team' },
          ...{ KINDS: '{"1345":"season-ticket"}', SEASON_STARTS: at(-30), SEASON_ENDS: at(300) },
          MATCHDAY_KEY: await world.serverKey(['memberships:write', 'events:write'], { source: 'pretix' }),
          MATCHDAY_URL: api.url.origin,
        },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      try {
        const { value: line } = await receiver.stdout.getReader().read()
        const url = /http:\S+/.exec(new TextDecoder().decode(line))?.[0] ?? ''
        const told = { notification_id: 1, organizer: 'club', event: 'season-26', code: 'ABC12' }
        const send = async (delivery: unknown, secret = SECRET) => {
          const headers = { authorization: `Basic ${btoa(`pretix:${secret}`)}` }
          const body = typeof delivery === 'string' ? delivery : JSON.stringify(delivery)
          return (await fetch(url, { method: 'POST', body, headers })).status
        }
        const memberships = async () =>
          (await fan.get('/api/user/memberships')).body.memberships.map(
            ({ ref, holder, state }: Record<string, string>) => [ref, holder, state],
          )
        const balance = async () => (await fan.get('/api/user/points')).body.balance

        expect(await send(told, 'another secret')).toBe(401)
        for (const delivery of ['{', 'null', {}, { ...told, organizer: 'other' }, { ...told, code: '..' }])
          expect(await send(delivery)).toBe(204)
        expect(asked).toBe(0)
        expect(await send({ ...told, code: 'GONE1' })).toBe(204)

        // Placed, and not paid yet.
        expect(await send(told)).toBe(204)
        expect(await memberships()).toEqual([])
        order.status = 'p'
        outage = 503
        expect(await send(told)).toBe(503)
        outage = null
        for (const _ of ['first', 'again']) expect(await send(told)).toBe(204)
        expect(await memberships()).toEqual([['pretix-23442', 'Ada Okafor', 'active']])

        position.checkins = [
          { list: 44, datetime: at(-1), type: 'entry' },
          { list: 44, datetime: at(-1), type: 'exit' },
          { list: 44, datetime: at(0), type: 'entry' },
        ]
        for (const _ of ['first', 'again']) expect(await send(told)).toBe(204)
        expect(await balance()).toBe(10)
        position.checkins.push({ list: 45, datetime: at(0), type: 'entry' })
        expect(await send(told)).toBe(204)
        expect(await balance()).toBe(20)

        position.canceled = true
        for (const _ of ['first', 'again']) expect(await send(told)).toBe(204)
        expect(await memberships()).toEqual([['pretix-23442', 'Ada Okafor', 'ended']])
        position.canceled = false
        Object.assign(position, { id: 23_443, attendee_email: 'nobody@example.com', checkins: [] })
        expect(await send(told)).toBe(204)
        expect(await memberships()).toHaveLength(1)
      } finally {
        receiver.kill()
        await receiver.exited
        await api.stop(true)
        await pretix.stop(true)
        rmSync(folder, { recursive: true })
      }
      const lines = (await new Response(receiver.stderr).text()).trim().split('\n')
      expect(lines).toEqual([
        'order ABC12: the API answers 503',
        'order ABC12, ticket 23443: 404 fan_not_found',
      ])
    })
  },
  { env: { FANS_BY_EMAIL: 'on' } },
)
