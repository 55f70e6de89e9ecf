/** Decisions of moderators are events of the fan: for webhooks and the stream, but not for rules and quests. */
import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { and, asc, eq, ne } from 'drizzle-orm'
import { addEndpoint } from '../../../src/delivery/webhooks/endpoints.ts'
import { applicationEvents } from '../../../src/economy/events/types.ts'
import { ruleKind, upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { decide } from '../../../src/fan/moderation/cases.ts'
import { decideAppeal, listAppeals } from '../../../src/identity/sanctions/appeals.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { deliveriesOf, distributeAll, removeEndpoints } from '../../delivery/webhooks/webhooks-world.ts'
import { ruleEntry } from '../../economy/rules/rules-world.ts'
import { type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'

const TYPES = ['report.resolved', 'sanction.applied', 'sanction.lifted', 'appeal.decided'] as const

onEachEngine('A decision of a moderator', world => {
  const by = { decidedBy: 'Ana', reason: 'harassment', note: 'Seen twice.' } as const
  const report = async (fan: NamedFan, { handle }: NamedFan) =>
    expectStatus(
      201,
      await fan.post('/api/reports', { subject: { kind: 'fan', id: handle }, reason: 'spam' }),
    )

  /** Type and data, which their schemas allow. */
  async function toldOf({ id }: NamedFan) {
    const { events } = world.db.tables
    const rows = await world.db.read
      .select()
      .from(events)
      .where(and(eq(events.userId, id), ne(events.type, 'points.changed')))
      .orderBy(asc(events.sequence))
    return rows.map(({ type, data }) => {
      const parsed = JSON.parse(data ?? '')
      const known = TYPES.find(one => one === type)
      if (!known) throw new Error(`${type} is no event of moderation`)
      expect([...Value.Errors(applicationEvents[known], parsed)]).toEqual([])
      expect(data).not.toContain('Ana')
      expect(data).not.toContain('Seen twice.')
      return [known, parsed]
    })
  }

  test('about a report is an event of each reporter, and of nobody else', async () => {
    const [one, other, subject] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    const reports = [await report(one, subject), await report(other, subject)]
    await world.db.write(tx => decide(tx, subject.id, { ...by, kind: 'dismiss' }))
    for (const [at, fan] of [one, other].entries())
      expect(await toldOf(fan)).toEqual([
        ['report.resolved', { reportId: reports[at].id, subjectKind: 'fan', actionTaken: false }],
      ])
    expect(await toldOf(subject)).toEqual([])
  })

  test('with a sanction, its end, and the decision about the appeal are events of the sanctioned fan', async () => {
    const [reporter, fan] = [await namedFan(world), await namedFan(world)]
    const { id: reportId } = await report(reporter, fan)
    const until = new Date(world.clock.ms + 60_000)
    const { id } = await world.db.write(tx => decide(tx, fan.id, { ...by, kind: 'suspend', until }))
    expectStatus(201, await fan.post('/api/user/appeals', { sanctionId: id, text: 'I quoted others.' }))
    const [appeal] = await listAppeals(world.db.read, fan.id)
    await world.db.write(tx =>
      decideAppeal(tx, appeal?.id ?? '', { ...by, decidedBy: 'Bruno', granted: true }),
    )
    expect(await toldOf(fan)).toEqual([
      [
        'sanction.applied',
        { sanctionId: id, kind: 'suspend', reason: 'harassment', until: until.toISOString() },
      ],
      ['appeal.decided', { sanctionId: id, granted: true }],
      ['sanction.lifted', { sanctionId: id, kind: 'suspend' }],
    ])
    expect(await toldOf(reporter)).toEqual([
      ['report.resolved', { reportId, subjectKind: 'fan', actionTaken: true }],
    ])
  })

  test('that changes nothing has no event', async () => {
    const fan = await namedFan(world)
    for (let time = 0; time < 2; time++)
      await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'mute' }))
    await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'note' }))
    expect((await toldOf(fan)).map(([type]) => type)).toEqual(['sanction.applied'])
  })

  test('has its event in the same unit of work', async () => {
    const fan = await namedFan(world)
    await world.db
      .write(async tx => {
        await recordDecision(tx, { ...by, fanId: fan.id, kind: 'hide' })
        throw new Error('undo')
      })
      .catch(() => {})
    expect(await toldOf(fan)).toEqual([])
  })

  test('about a report of an erased fan, and the erasure of the reported one, disclose nothing', async () => {
    const [kept, erased, subject] = [await namedFan(world), await namedFan(world), await namedFan(world)]
    const { id: reportId } = await report(kept, subject)
    await report(erased, subject)
    const erase = (id: string) => world.db.write(tx => eraseUser(tx, { id }))
    await erase(erased.id)
    await erase(subject.id)
    expect(await toldOf(kept)).toEqual([
      ['report.resolved', { reportId, subjectKind: 'fan', actionTaken: false }],
    ])
    expect(await toldOf(erased)).toEqual([])
    expect(JSON.stringify(await toldOf(kept))).not.toContain(subject.handle)
  })

  test.each(TYPES)('of the type %s cannot be listened to by a rule, whose entry is refused', type => {
    const message = `must not be ${type}, which rules and quests cannot listen to`
    expect(ruleKind.faults?.(ruleEntry({ eventType: type }))).toEqual([{ pointer: '/eventType', message }])
  })

  test('earns nothing by a rule that an earlier version imported', async () => {
    const [reporter, subject] = [await namedFan(world), await namedFan(world)]
    for (const eventType of TYPES) await world.db.write(tx => upsertRule(tx, ruleEntry({ eventType })))
    await report(reporter, subject)
    await world.db.write(tx => decide(tx, subject.id, { ...by, kind: 'hide' }))
    for (const fan of [reporter, subject])
      expect(expectStatus(200, await fan.get('/api/user/points')).balance).toBe(0)
  })

  test('is delivered to an endpoint that asks for its type', async () => {
    const fan = await namedFan(world)
    const url = 'https://hooks.example.com/'
    const endpoint = await world.db.write(tx =>
      addEndpoint(tx, world.deps.webhookSecrets, { url, types: ['sanction.*'] }),
    )
    const { id } = await world.db.write(tx => recordDecision(tx, { ...by, fanId: fan.id, kind: 'hide' }))
    await distributeAll(world)
    const [delivery] = await deliveriesOf(world, endpoint.id, fan.id)
    await removeEndpoints(world)
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({
      type: 'sanction.applied',
      data: { userId: fan.id, source: 'matchday', sanctionId: id, kind: 'hide', until: null },
    })
  })
})
