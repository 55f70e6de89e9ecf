/** `bun run explain-event` as a command. */
import { beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { RuleEntry } from '../../src/economy/rules/rule.ts'
import { upsertRule } from '../../src/economy/rules/rule-kind.ts'
import { addRule, unique } from '../economy/rules/rules-world.ts'
import type { Client } from '../support/client.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run explain-event', world => {
    let shop: Client
    beforeAll(async () => {
      shop = world.withToken(await world.serverKey(['events:write'], { source: 'shop' }))
    })

    const run = (...parameters: string[]) =>
      runScript('explain-event', parameters, { env: { DATABASE_URL: world.databaseUrl ?? '' } })

    /** An event as the shop reports it. */
    async function report(type: string, data: object, subject = unique('visitor')) {
      const id = unique('event')
      const fan = { provider: world.config.identity.name, subject }
      const occurredAt = world.clock.now().toISOString()
      const { status } = await shop.post('/api/events', { events: [{ id, type, fan, occurredAt, data }] })
      expect(status).toBe(200)
      return { id, voidIt: () => shop.post('/api/events/void', { id }) }
    }

    test('shows what each rule of the time granted, or why nothing', async () => {
      const type = unique('shop.purchase')
      const name = (rule: string) => `${rule}-${type.replace('.', '-')}`
      const add = (rule: string, fields: Partial<RuleEntry>) =>
        addRule(world, { id: name(rule), eventType: type, ...fields })
      await add('a-granted', { points: { per: '/amount', every: 100, points: 1 } })
      const limited = await add('b-limit', { limit: { count: 1, per: 'week' } })
      await add('c-budget', { points: { fixed: 30 }, budget: 50 })
      await add('d-unmet', { when: [{ path: '/currency', op: 'eq', value: 'EUR' }] })
      await add('e-missing', { when: [{ path: '/coupon', op: 'exists', value: true }] })
      await add('f-no-points', { points: { per: '/weight', every: 1, points: 1 } })
      await add('g-ended', { endsAt: '2026-08-01T00:00:00.000Z' })
      await add('h-not-started', { startsAt: '2026-09-01T00:00:00.000Z' })
      await add('i-inactive', { active: false })
      const data = { amount: 1_250, currency: 'GBP' }
      const visitor = unique('visitor')
      await report(type, data, visitor)
      const { id, voidIt } = await report(type, data, visitor)
      await add('j-later', {})
      await world.db.write(tx => upsertRule(tx, { ...limited, points: { fixed: 77 }, limit: null }))

      const { code, out } = await run('shop', id)
      expect(code).toBe(0)
      const lines = out.split('\n')
      expect(lines[0]).toStartWith(`Event ${id} of shop: ${type}, number 5 of fan `)
      expect(lines.slice(2).map(line => line.trim().replaceAll(/\s+/g, ' '))).toEqual([
        `${name('a-granted')} granted 12 points`,
        `${name('b-limit')} nothing: the limit of 1 per week was reached (2026-W33)`,
        `${name('c-budget')} nothing: 30 points did not fit into the rest of the budget of 50`,
        `${name('d-unmet')} nothing: /currency is "GBP", must be eq "EUR"`,
        `${name('e-missing')} nothing: /coupon is missing, must be exists true`,
        `${name('f-no-points')} nothing: the number that it counts is missing or too small`,
        `${name('g-ended')} nothing: the event was after its end`,
        `${name('h-not-started')} nothing: the event was before its start`,
        `${name('j-later')} nothing: the rule became active after the event was recorded`,
        'Granted 12 points.',
        '',
      ])

      expect((await voidIt()).status).toBe(200)
      expect((await run('shop', id)).out).toContain(': 12 points were taken back, 0 had been spent.\n')
      const { events } = world.db.tables
      await world.db.write(tx => tx.update(events).set({ data: null }).where(eq(events.eventId, id)))
      const json = JSON.parse((await run('shop', id, '--json')).out)
      expect(json).toMatchObject({ source: 'shop', eventId: id, sequence: 5, type, taken: [{ points: 12 }] })
      expect(json.rules.slice(0, 4)).toMatchObject([
        { ruleId: name('a-granted'), outcome: 'granted', points: 12 },
        { ruleId: name('b-limit'), outcome: 'limit', limit: { count: 1, per: 'week' }, window: '2026-W33' },
        { ruleId: name('c-budget'), outcome: 'budget', points: 30, budget: 50 },
        { ruleId: name('d-unmet'), outcome: 'data_deleted' },
      ])
    })

    test('says when no rule listens, when only the void has arrived, and when the id is unknown', async () => {
      const { id } = await report(unique('test.unheard'), {})
      const unheard = await run('shop', id)
      expect(unheard.out).toEndWith('No rule listens to events of this type.\nGranted 0 points.\n')

      const early = unique('event')
      expect((await shop.post('/api/events/void', { id: early })).status).toBe(404)
      const voided = await run('shop', early)
      expect([voided.code, voided.err]).toEqual([
        1,
        `Event ${early} of shop was voided and has not arrived.\n`,
      ])

      const unknown = await run('gate', id)
      expect([unknown.code, unknown.err]).toEqual([1, `Source gate has reported no event ${id}.\n`])
    })
  })
}
