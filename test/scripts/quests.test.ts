/** `bun run verify-quests` and `bun run backfill-quests`. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { rollBack } from '../../db/roll-back.ts'
import { verifyQuests } from '../../src/audit/runs/verify-quests.ts'
import { backfillFan, type Counted, listFansWithEvents } from '../../src/operate/admin/backfill-quests.ts'
import type { QuestFinding } from '../../src/play/quests/audit/facts.ts'
import { readQuestSet } from '../../src/play/quests/quest.ts'
import { questKind, upsertQuest } from '../../src/play/quests/quest-kind.ts'
import { withoutRules } from '../db/probe.ts'
import { DAY, patientFan } from '../play/packs/packs-world.ts'
import { addQuest, claim, happen, newType, read, takeBack, userIdOf } from '../play/quests/quests-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { onEachEngine, onEngine, type World } from '../support/world.ts'
import { runScript } from './run-script.ts'

const MINUTE = 60_000

async function findingsOf({ db }: World): Promise<QuestFinding[]> {
  const findings: QuestFinding[] = []
  await verifyQuests(db, { onFinding: finding => void findings.push(finding) })
  return findings
}

/** A fan with a claimed period, one to be claimed, an incomplete one and a streak. */
async function busyFan(world: World) {
  const fan = await patientFan(world)
  const auto = await addQuest(world, { reward: { points: 5 } })
  const manual = await addQuest(world, { claim: 'manual', steps: [{ target: 2, distinctBy: '/match' }] })
  const streak = await addQuest(world, { kind: 'streak', period: 'day', graceDays: 1 })
  const open = await addQuest(world, { steps: [{ target: 9 }], requires: [auto.id] })
  world.clock.advance(2 * MINUTE)
  for (const match of ['a', 'b', 'b']) await happen(world, fan, manual.type, { data: { match } })
  for (const { type } of [auto, open, streak]) await happen(world, fan, type)
  world.clock.advance(2 * DAY)
  await happen(world, fan, streak.type)
  await takeBack(world, await happen(world, fan, open.type))
  return { fan, userId: await userIdOf(world, fan), auto, manual, streak, open }
}

onEachEngine(
  'The verification of quests',
  world => {
    test('finds nothing in rows that the application has written', async () => {
      const { fan, manual } = await busyFan(world)
      expect(await findingsOf(world)).toEqual([])
      expect((await claim(fan, manual.id)).status).toBe(200)
      expect(await findingsOf(world)).toEqual([])
    })

    test.each([
      {
        title: 'a count that the counted events do not give',
        what: 'quest_progress.counts of step-1',
        spoil: async ({ db: { tables, write } }: World) => {
          const { questProgress: rows } = tables
          await write(tx =>
            tx.update(rows).set({ counts: '{"step-1":3}' }).where(eq(rows.counts, '{"step-1":1}')),
          )
        },
      },
      {
        title: 'a counted event that is gone',
        what: expect.stringContaining('counted event'),
        spoil: ({ db: { tables, write } }: World) =>
          write(tx => tx.update(tables.questCounts).set({ source: 'elsewhere' })),
      },
      {
        title: 'an event that was not counted',
        what: expect.stringContaining('counted event'),
        spoil: ({ db: { tables, write } }: World) => write(tx => tx.delete(tables.questCounts)),
      },
      {
        title: 'progress that is gone behind its counted events, despite the foreign key',
        what: 'quest_progress.row',
        spoil: ({ db, databaseUrl: url }: World) =>
          withoutRules({ db, url }, run => run('DELETE FROM quest_progress')),
      },
      {
        title: 'a streak that does not follow from the completed periods',
        what: 'quest_streaks.row',
        spoil: ({ db: { tables, write } }: World) =>
          write(tx => tx.update(tables.questStreaks).set({ best: 9 })),
      },
      {
        title: 'points that were given and not booked',
        what: 'points_entries.delta',
        spoil: ({ db: { tables, write } }: World) =>
          write(tx =>
            tx
              .update(tables.questProgress)
              .set({ given: '{"points":500,"rewardId":null,"collectibleId":null}' })
              .where(eq(tables.questProgress.given, '{"points":5,"rewardId":null,"collectibleId":null}')),
          ),
      },
    ])('finds $title', async ({ what, spoil }) => {
      const { userId } = await busyFan(world)
      await spoil(world)
      expect(await findingsOf(world)).toContainEqual(expect.objectContaining({ userId, what }))
    })
  },
  { worldPer: 'test' },
)

onEachEngine('The backfill of a quest', world => {
  async function backfill(questId: string, since: Date): Promise<Counted[]> {
    const { db } = world
    const set = await readQuestSet(db.read)
    const quest = set.byId.get(questId)
    if (!quest) throw new Error('there is no such quest')
    const reports: Counted[] = []
    for await (const userId of listFansWithEvents(db.read, quest, since)) {
      const planned = await rollBack(db, tx => backfillFan(tx, quest, { userId, since }))
      const done = await db.write(tx => backfillFan(tx, quest, { userId, since }))
      expect(done).toEqual(planned)
      reports.push(done)
    }
    return reports
  }
  /** The start of a day, counted from today. */
  const day = (n: number) => new Date(world.clock.ms + n * DAY)

  test('counts past events and completions, each once', async () => {
    const fan = await patientFan(world)
    const type = newType()
    for (const n of [-9, -8, -8, -7]) await happen(world, fan, type, { at: day(n) })
    const quest = await addQuest(world, {
      period: 'day',
      startsAt: day(-8).toISOString(),
      steps: [{ eventType: type, target: 2 }],
      reward: { points: 5 },
    })
    await happen(world, fan, type)
    expect(await backfill(quest.id, day(-30))).toEqual([{ events: 3, completed: 1, unknown: 0 }])
    expect((await fan.get('/api/user/points')).body.balance).toBe(5)
    expect(await backfill(quest.id, day(-30))).toEqual([{ events: 0, completed: 0, unknown: 0 }])
    expect(await backfill(quest.id, day(1))).toEqual([])
    expect((await read(fan, quest)).progress).toMatchObject([{ count: 1 }])
  })

  test('does not count voided events, and reports events without data', async () => {
    const fan = await patientFan(world)
    const type = newType()
    await takeBack(world, await happen(world, fan, type, { data: { amount: 1 } }))
    const eventId = await happen(world, fan, type, { data: { amount: 1 } })
    const { events } = world.db.tables
    await world.db.write(tx => tx.update(events).set({ data: null }).where(eq(events.eventId, eventId)))
    await happen(world, fan, type, { data: { amount: 1 } })
    const when = [{ path: '/amount', op: 'eq' as const, value: 1 }]
    const quest = await addQuest(world, { steps: [{ eventType: type, when, target: 9 }] })
    expect(await backfill(quest.id, day(-1))).toEqual([{ events: 1, completed: 0, unknown: 1 }])
  })

  test('completes periods that meet their goal since a requirement was removed', async () => {
    const fan = await patientFan(world)
    const required = await addQuest(world)
    const { type, ...entry } = await addQuest(world, { requires: [required.id] })
    await happen(world, fan, type)
    await world.db.write(tx => upsertQuest(tx, { ...entry, requires: [] }))
    expect((await read(fan, entry)).state).toBe('in_progress')
    expect(await backfill(entry.id, day(-1))).toEqual([{ events: 0, completed: 1, unknown: 0 }])
    expect((await read(fan, entry)).state).toBe('claimed')
    await world.db.write(tx => questKind.deactivate(tx, entry.id))
  })
})

onEngine(sqliteEngine, 'bun run', world => {
  test('verify-quests exits with 1 for findings, and backfill-quests reports what it counted', async () => {
    // As the commands.
    world.clock.ms = Date.now()
    const fan = await patientFan(world)
    const type = newType()
    await happen(world, fan, type)
    const { id } = await addQuest(world, { steps: [{ eventType: type, target: 2 }] })
    const database = ['--database', world.databaseUrl ?? '']
    const backfill = (...more: string[]) =>
      runScript('backfill-quests', [id, '--since', '2026-01-01', ...more, ...database])
    const dry = await backfill('--dry-run')
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringMatching(
        /^1 events of 1 fans would count; 0 periods would be completed\.\n1 row would change/,
      ),
    ])
    expect((await backfill()).out).toStartWith(
      'Counted 1 events of 1 fans; completed 0 periods.\n1 row changed',
    )
    expect((await backfill()).out).toStartWith('Counted 0 events of 0 fans')
    await world.db.write(tx => questKind.deactivate(tx, id))
    const off = await backfill()
    expect([off.code, off.err]).toEqual([1, `The quest ${id} is not active, so it completes nothing.\n`])
    const unknown = await runScript('backfill-quests', ['nothing', '--since', '2026-01-01', ...database])
    expect([unknown.code, unknown.err]).toEqual([1, 'There is no quest nothing.\n'])

    const dropped = await addQuest(world, { requires: [id] })
    await happen(world, fan, dropped.type)
    const { type: _, ...entry } = dropped
    await world.db.write(tx => upsertQuest(tx, { ...entry, requires: [] }))
    const complete = (...more: string[]) =>
      runScript('backfill-quests', [dropped.id, '--since', '2026-01-01', ...more, ...database])
    expect((await complete('--dry-run')).out).toMatch(
      /^0 events of 1 fans would count; 1 periods would be completed\.\n1 row would change/,
    )
    expect((await complete()).out).toMatch(
      /^Counted 0 events of 1 fans; completed 1 periods\.\n1 row changed/,
    )
    expect((await complete()).out).toMatch(
      /^Counted 0 events of 0 fans; completed 0 periods\.\nNothing changed|0 rows changed/,
    )

    expect(await runScript('verify-quests', database)).toMatchObject({
      code: 0,
      out: 'No findings in 1 fans, 2 periods.\n',
    })
    await world.db.write(tx => tx.update(tx.tables.questProgress).set({ counts: '{}' }))
    const found = await runScript('verify-quests', database)
    expect(found.code).toBe(1)
    expect(found.out).toMatch(
      /counts of step-1 is 0, must be 1\n.*completed_at is set, must be absent\n2 findings in/,
    )
  })
})
