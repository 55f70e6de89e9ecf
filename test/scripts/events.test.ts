/** `bun run events` as a command. */
import { beforeAll, expect, test } from 'bun:test'
import { eventOf } from '../economy/events/events-world.ts'
import { addRule, unique } from '../economy/rules/rules-world.ts'
import type { Client } from '../support/client.ts'
import { dump } from '../support/dump.ts'
import { engines } from '../support/engines.ts'
import { waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'
import { runScript, startScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run events', world => {
    let gate: Client
    beforeAll(async () => {
      gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
    })

    const env = () => ({ DATABASE_URL: world.databaseUrl ?? '' })
    const run = (...parameters: string[]) => runScript('events', parameters, { env: env() })
    const visitor = () => ({ provider: world.config.identity.name, subject: unique('visitor') })
    async function report(fields: Record<string, unknown> = {}) {
      const event = eventOf(world, fields)
      const { body } = await gate.post('/api/events', { events: [event] })
      expect(body.results[0].outcome).not.toBe('refused')
      return event
    }

    test('tail shows the newest events of a filter, oldest first, with what they earned', async () => {
      const { id: ruleId, eventType: type } = await addRule(world)
      const fan = visitor()
      const scans = []
      for (const gateNumber of [1, 2, 3]) scans.push(await report({ type, fan, data: { gateNumber } }))
      await report({ fan })
      const { code, out } = await run('tail', '--type', type, '--limit', '2')
      expect(code).toBe(0)
      const lines = out.trimEnd().split('\n')
      expect(lines).toHaveLength(2)
      for (const [at, line] of lines.entries()) {
        expect(line).toContain(`gate/${scans[at + 1]?.id}`)
        expect(line).toEndWith(`{"gateNumber":${at + 2}}  +10`)
      }
      const { events } = JSON.parse((await run('tail', '--type', type, '--json')).out)
      expect(events.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 3, 5])
      expect(events[0]).toMatchObject({ data: { gateNumber: 1 }, decisions: [{ ruleId, points: 10 }] })
      const ofFan = JSON.parse((await run('tail', '--fan', events[0].userId, '--json')).out).events
      // Three scans with their entries of the ledger, and another event.
      expect(ofFan).toHaveLength(7)
      const elsewhere = await run('tail', '--fan', events[0].userId, '--source', 'shop')
      expect(elsewhere.out).toBe('There are no events.\n')
    })

    test('tail --follow shows what is recorded meanwhile, each event once, until a signal', async () => {
      const type = unique('test.followed')
      const first = await report({ type })
      const child = startScript('events', ['tail', '--follow', '--json', '--type', type], { env: env() })
      const seen: { id: string }[] = []
      const reading = (async () => {
        let rest = ''
        for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
          const lines = (rest + chunk).split('\n')
          rest = lines.pop() ?? ''
          seen.push(...lines.map(line => JSON.parse(line)))
        }
      })()
      await waitUntil('the first event is shown', async () => seen.length === 1)
      world.clock.ms = Date.now()
      const later = [await report({ type }), await report({ type })]
      await waitUntil('the later events are shown', async () => seen.length === 3)
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
      await reading
      expect(seen.map(({ id }) => id)).toEqual([first, ...later].map(({ id }) => id))
    })

    test('show prints an event, with its void', async () => {
      const { id: ruleId, eventType: type } = await addRule(world)
      const { id } = await report({ type })
      await gate.post('/api/events/void', { id, note: 'Refunded.' })
      const { code, out } = await run('show', 'gate', id)
      expect(code).toBe(0)
      expect(out).toContain(`rules     ${ruleId} granted 10 points`)
      expect(out).toContain(': Refunded.')
      expect(out).toContain(`taken     10 points of ${ruleId}, 0 had been spent`)
      const json = JSON.parse((await run('show', 'gate', id, '--json')).out)
      expect(json).toMatchObject({ id, type, taken: [{ ruleId, points: 10 }] })
      expect(json).not.toHaveProperty('digest')
    })

    test('show says that only the void has arrived', async () => {
      const id = unique('early')
      await gate.post('/api/events/void', { id })
      expect((await run('show', 'gate', id)).out).toContain('has not arrived')
      expect(await run('replay', 'gate', id)).toMatchObject({ code: 1 })
    })

    test('replay shows what the current rules would decide, and writes nothing', async () => {
      const limit = { count: 1, per: 'ever' } as const
      const { id: ruleId, eventType: type } = await addRule(world, { limit, budget: 10 })
      const { id } = await report({ type })
      const later = await addRule(world, { eventType: type, points: { fixed: 7 } })
      const before = await dump(world.db)
      const { code, out } = await run('replay', 'gate', id)
      expect(code).toBe(0)
      expect(out).toContain(`decided then  ${ruleId} granted 10 points`)
      expect(out).toContain(`void takes    10 points of ${ruleId}`)
      expect(out).toContain(`decided now   ${ruleId} granted 10 points, ${later.id} granted 7 points`)
      expect(JSON.parse((await run('replay', 'gate', id, '--json')).out)).toMatchObject({
        hasListeners: true,
      })
      expect(await dump(world.db)).toEqual(before)
    })

    test.each([
      [['show', 'gate', 'nobody-sent-it'], 1, 'has reported no event'],
      [['replay', 'gate', 'nobody-sent-it'], 1, 'has reported no event'],
      [['show', 'gate'], 2, 'requires a source and an id'],
      [['show', 'gate', 'a', '--follow'], 2, 'takes no option of tail'],
      [['tail', 'gate'], 2, 'tail takes options only'],
      [['delete'], 2, 'Allowed choices are'],
    ])('refuses %p', async (parameters, expected, message) => {
      const { code, err } = await run(...parameters)
      expect(code).toBe(expected)
      expect(err).toContain(message)
    })
  })
}
