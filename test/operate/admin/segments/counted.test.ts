/** Rules and quests that count by segment: judged when the event is recorded, explained, verified, and refused where they would count nothing. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../../src/audit/runs/verify-quests.ts'
import { type SegmentCondition, segmentKind } from '../../../../src/club/segments/segment-kind.ts'
import { decisionsOf } from '../../../../src/economy/events/event.ts'
import { explainEvent } from '../../../../src/economy/events/explain-event.ts'
import { previewRules } from '../../../../src/economy/events/preview-rules.ts'
import { writeEvents } from '../../../../src/economy/events/record-event.ts'
import { contentOf, ruleOf } from '../../../../src/economy/rules/rule.ts'
import { ruleKind } from '../../../../src/economy/rules/rule-kind.ts'
import { previewQuest } from '../../../../src/play/quests/preview-quest.ts'
import { questKind } from '../../../../src/play/quests/quest-kind.ts'
import { addRule, unique } from '../../../economy/rules/rules-world.ts'
import { liveIn } from '../../../play/eligibility/eligibility-world.ts'
import { addQuest, happen, progressRows, takeBack, userIdOf } from '../../../play/quests/quests-world.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'

onEachEngine('What counts by segment', world => {
  async function addSegment(...when: SegmentCondition[]): Promise<string> {
    const id = unique('segment')
    await world.db.write(tx => segmentKind.upsert(tx, { id, name: `Secret ${id}`, when }))
    return id
  }
  const inIreland = () => addSegment({ fact: 'country', op: 'eq', value: 'IE' })
  const balanceOf = async (fan: Fan) => (await fan.get('/api/user/points')).body.balance
  /** One from Ireland, and one from elsewhere. */
  async function fans(): Promise<[Fan, Fan]> {
    const both: [Fan, Fan] = [await world.fan(), await world.fan()]
    await liveIn(both[0], 'IE')
    await liveIn(both[1], 'PT')
    return both
  }
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      error => error.explanation?.errors?.[0],
    )

  async function findings(): Promise<string[]> {
    const found: string[] = []
    await verifyLedger(world.db, { onFinding: ({ what }) => void found.push(what) })
    await verifyQuests(world.db, { onFinding: ({ what }) => void found.push(what) })
    return found
  }

  async function explain(eventId: string) {
    const event = await explainEvent(world.db.read, { source: 'shop', eventId })
    return event !== null && event !== 'void' ? event.rules : []
  }

  test('a rule pays fans of its segment only, and says why it pays others nothing', async () => {
    const fan = await inIreland()
    const rule = await addRule(world, { fan, limit: { count: 1, per: 'ever' } })
    const [inside, outside] = await fans()
    const paid = await happen(world, inside, rule.eventType)
    const unpaid = await happen(world, outside, rule.eventType)
    expect([await balanceOf(inside), await balanceOf(outside)]).toEqual([10, 0])
    expect(await explain(paid)).toMatchObject([{ outcome: 'granted' }])
    expect(await explain(unpaid)).toMatchObject([{ outcome: 'segment', segment: fan }])
    // What was not paid has used up nothing of the limit.
    await liveIn(outside, 'IE')
    await happen(world, outside, rule.eventType)
    expect(await balanceOf(outside)).toBe(10)
    // Who leaves keeps what was paid, and a void takes it back.
    await liveIn(inside, 'PT')
    await takeBack(world, paid)
    await takeBack(world, unpaid)
    expect([await balanceOf(inside), await balanceOf(outside)]).toEqual([0, 10])
    expect(await findings()).toEqual([])
  })

  test('events of one unit of work are judged one after the other', async () => {
    const fan = await addSegment({ fact: 'points', op: 'gte', value: 10 })
    const rule = await addRule(world)
    const bonus = await addRule(world, { eventType: rule.eventType, fan, points: { fixed: 1 } })
    const userId = await userIdOf(world, await world.fan())
    const at = world.clock.now()
    const ids = ['first', 'second', 'third'].map(unique)
    const [first = '', second = '', third = ''] = ids
    await world.db.write(tx =>
      writeEvents(
        tx,
        ids.map(eventId => ({
          ...{ source: 'shop', eventId, userId, type: rule.eventType },
          ...{ occurredAt: at, data: {} },
        })),
      ),
    )
    const { events } = world.db.tables
    const outcomes = async (eventId: string) => {
      const [row] = await world.db.read.select().from(events).where(eq(events.eventId, eventId))
      return row && decisionsOf(row).find(({ ruleId }) => ruleId === bonus.id)?.outcome
    }
    // The points of the event itself come too late for it.
    expect([await outcomes(first), await outcomes(second), await outcomes(third)]).toEqual([
      'segment',
      'granted',
      'granted',
    ])
    expect(await findings()).toEqual([])
  })

  test('a quest counts events of fans of its segment, and keeps what it has counted', async () => {
    const fan = await inIreland()
    const quest = await addQuest(world, { fan, steps: [{ target: 2 }], reward: { points: 5 } })
    const [inside, outside] = await fans()
    const counted = await happen(world, inside, quest.type)
    await happen(world, outside, quest.type)
    expect([
      (await progressRows(world, inside, quest.id)).map(({ counts }) => counts),
      await progressRows(world, outside, quest.id),
    ]).toEqual([['{"step-1":1}'], []])
    await liveIn(inside, 'PT')
    await happen(world, inside, quest.type)
    expect(await progressRows(world, inside, quest.id)).toMatchObject([{ counts: '{"step-1":1}' }])
    await takeBack(world, counted)
    expect(await progressRows(world, inside, quest.id)).toMatchObject([{ counts: '{}' }])
    await liveIn(inside, 'IE')
    await happen(world, inside, quest.type)
    await happen(world, inside, quest.type)
    expect(await balanceOf(inside)).toBe(5)
    expect(await findings()).toEqual([])
  })

  test('previews count fans who are in the segment now', async () => {
    const fan = await inIreland()
    const draft = await addRule(world)
    const [inside, outside] = await fans()
    for (const one of [inside, outside]) await happen(world, one, draft.eventType)
    const since = new Date(world.clock.ms - 1_000)
    const rule = ruleOf(contentOf({ ...draft, fan }), 1)
    const { previews } = await previewRules(world.db.read, [rule], { since })
    expect(previews).toMatchObject([{ granted: 1, fans: 1, refused: { segment: 1 } }])
    const steps = [{ id: 'step', eventType: draft.eventType, target: 1 }]
    const entry = {
      id: 'draft',
      title: 'Draft',
      description: 'Draft',
      kind: 'quest',
      period: 'once',
    } as const
    expect(await previewQuest(world.db.read, { ...entry, steps, fan }, { since })).toMatchObject({
      started: 1,
      completions: 1,
    })
  })

  test('an import refuses a segment that is unknown or off, and keeps one on that counts', async () => {
    const fan = await inIreland()
    const unknown = { pointer: '/fan', message: expect.any(String) }
    expect(await refusalOf(addRule(world, { fan: 'no-such-segment' }))).toMatchObject(unknown)
    expect(await refusalOf(addQuest(world, { fan: 'no-such-segment' }))).toMatchObject(unknown)
    const off = await inIreland()
    await world.db.write(tx => segmentKind.deactivate(tx, off))
    expect(await refusalOf(addRule(world, { fan: off }))).toMatchObject(unknown)
    expect(await refusalOf(addQuest(world, { fan: off }))).toMatchObject(unknown)

    const [rule, quest] = [await addRule(world, { fan }), await addQuest(world, { fan })]
    const switchOff = () => refusalOf(world.db.write(tx => segmentKind.deactivate(tx, fan)))
    expect((await switchOff()).message).toContain(`rule ${rule.id}, quest ${quest.id}`)
    const [stored] = await segmentKind.read(world.db.read, [fan])
    if (!stored) throw new Error('the segment is not stored')
    const stateOff = world.db.write(tx => segmentKind.upsert(tx, { ...stored, active: false }))
    expect(await refusalOf(stateOff)).toMatchObject({ pointer: '/active' })
    await world.db.write(tx => ruleKind.deactivate(tx, rule.id))
    expect((await switchOff()).message).toContain(`: quest ${quest.id} `)
    await world.db.write(tx => questKind.deactivate(tx, quest.id))
    expect(await switchOff()).toBeNull()
    await world.db.write(tx => segmentKind.upsert(tx, stored))
  })

  test('a segment asks for accounts and tiers of the catalogue', async () => {
    const segment = (fact: string, value: string) => refusalOf(addSegment({ fact, op: 'eq', value }))
    expect(await segment('tier.no-such-account', 'gold')).toMatchObject({ pointer: '/when/0/fact' })
  })
})
