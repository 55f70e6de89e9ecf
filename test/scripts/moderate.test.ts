/** `bun run moderate`: decisions by hand, in force in the processes that serve. */
import { expect, test } from 'bun:test'
import { namedFan } from '../identity/relations/relations-world.ts'
import { engines } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

for (const engine of engines) {
  onEngine(engine, 'bun run moderate', world => {
    const moderate = async (...parameters: string[]) => {
      const env = { DATABASE_URL: world.databaseUrl ?? '' }
      const { code, out, err } = await runScript('moderate', [...parameters, '--json'], { env })
      return { code, err, json: out === '' ? null : JSON.parse(out) }
    }

    test('suspends a fan of another process at once, shows it, and lifts it', async () => {
      const fan = await namedFan(world)
      const write = async () => (await fan.patch('/api/user/profile', { bio: 'x' })).body.code
      const why = ['--reason', 'harassment', '--by', 'Ana', '--note', 'Three messages.']
      const facts = 'Three insults on 3 May.'
      const suspend = ['decide', fan.id, 'suspend', '--days', '3650', ...why, '--facts', facts]
      expect(await moderate(...suspend, '--dry-run')).toMatchObject({ code: 0, json: { dryRun: true } })
      expect(await write()).toBeUndefined()
      const { code, json } = await moderate(...suspend)
      expect(code).toBe(0)
      expect(await write()).toBe('suspended')
      const { id } = json.decision
      expect(await moderate('show', fan.id)).toMatchObject({
        code: 0,
        json: {
          inForce: [id],
          decisions: [{ id, kind: 'suspend', decidedBy: 'Ana', note: 'Three messages.', facts }],
        },
      })
      expect((await fan.get('/api/user/sanctions')).body.sanctions).toMatchObject([
        { statement: { facts, ground: 'harassment', automated: false } },
      ])
      const lift = ['lift', fan.id, id, '--reason', 'other', '--by', 'Bruno']
      expect((await moderate(...lift)).code).toBe(0)
      expect(await write()).toBeUndefined()
      const again = await moderate(...lift)
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('not in force')])
    })

    test('shows the queue and what is reported, and dismisses a case once', async () => {
      const [fan, other] = [await namedFan(world), await namedFan(world)]
      const report = { subject: { kind: 'fan', id: other.handle }, reason: 'spam', note: 'Links.' }
      const { id } = (await fan.post('/api/reports', report)).body
      expect(await moderate('queue')).toMatchObject({
        code: 0,
        json: { cases: [{ caseId: id, fanId: other.id, handle: other.handle, reports: 1, reporters: 1 }] },
      })
      const shown = { id, reporterId: fan.id, note: 'Links.', evidence: { handle: other.handle } }
      expect(await moderate('show', other.id)).toMatchObject({ code: 0, json: { reports: [shown] } })
      for (const named of [id, other.handle, other.handle.toUpperCase()])
        expect(await moderate('show', named)).toMatchObject({ code: 0, json: { fanId: other.id } })
      const dismiss = ['decide', id, 'dismiss', '--reason', 'other', '--by', 'Ana']
      expect(await moderate(...dismiss)).toMatchObject({ code: 0, json: { decision: { kind: 'dismiss' } } })
      const again = await moderate(...dismiss)
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('case is not open')])
      expect((await moderate('queue')).json.cases).toEqual([])
      expect((await fan.get('/api/user/reports')).body.reports[0].status).toBe('resolved')
    })

    test.each([
      ['show', 'nobody_has_it', [], 'No fan has the handle nobody_has_it'],
      ['show', '01981e2c-7c1f-7000-8000-000000000003', [], 'There is no fan, case or appeal 01981e2c'],
      [
        'decide',
        'nobody_has_it',
        ['hide', '--reason', 'spam', '--by', 'Ana'],
        'No fan has the handle nobody_has_it',
      ],
    ])('%s names what it does not find: %s', async (action, named, rest, message) => {
      const { code, err } = await moderate(action, named, ...rest)
      expect([code, err]).toEqual([1, expect.stringContaining(message)])
    })

    test('decides about a fan by the handle', async () => {
      const fan = await namedFan(world)
      const decided = await moderate('decide', fan.handle, 'hide', '--reason', 'spam', '--by', 'Ana')
      expect(decided).toMatchObject({ code: 0, json: { decision: { fanId: fan.id } } })
    })

    test('shows open appeals, and grants one by another person than the sanction', async () => {
      const fan = await namedFan(world)
      const hidden = await moderate('decide', fan.id, 'hide', '--reason', 'spam', '--by', 'Ana')
      const sanctionId = hidden.json.decision.id
      await fan.post('/api/user/appeals', { sanctionId, text: 'I sent no links.' })
      const { json } = await moderate('appeals')
      expect(json.appeals).toMatchObject([
        { sanctionId, text: 'I sent no links.', sanction: { decidedBy: 'Ana' } },
      ])
      const grant = (by: string) => ['decide', json.appeals[0].id, 'grant', '--reason', 'other', '--by', by]
      const own = await moderate(...grant(' ana'))
      expect([own.code, own.err]).toEqual([1, expect.stringContaining('Another person')])
      expect((await moderate(...grant('Bruno'), '--dry-run')).code).toBe(0)
      expect(await moderate(...grant('Bruno'))).toMatchObject({
        code: 0,
        json: { appeal: { granted: true } },
      })
      expect(await moderate('show', fan.id)).toMatchObject({
        json: { inForce: [], appeals: [{ decidedBy: 'Bruno' }] },
      })
      expect((await moderate('appeals')).json.appeals).toEqual([])
      const again = await moderate(...grant('Bruno'))
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('appeal is not open')])
    })

    test.each([
      [['queue', 'fan'], 'queue takes no fan'],
      [['show'], 'show requires a fan'],
      [['lift'], 'lift requires a fan'],
      [['decide', 'fan', 'suspend', '--reason', 'spam', '--by', 'Ana'], 'requires --days'],
      [['decide', 'fan', 'hide', '--reason', 'spam'], 'requires --by'],
      [['decide', 'fan', 'hide', '--by', 'Ana'], 'requires --reason'],
      [
        ['decide', 'fan', 'ban', '--reason', 'spam', '--by', 'Ana'],
        'dismiss, hide, mute, suspend, note, grant, reject',
      ],
      [['decide', 'fan', 'dismiss', '--reason', 'spam', '--by', 'Ana', '--facts', 'x'], '--facts is for'],
      [['decide', 'fan', 'hide', '--reason', 'spam', '--by', 'Ana', '--facts', ' '], '--facts has 1 to'],
      [['show', 'fan', '--by', 'Ana'], 'show takes no such options'],
    ])('refuses %j', async (parameters, message) => {
      const { code, err } = await moderate(...parameters)
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    })
  })
}
