/** Progress depends on which events happened, never on how they arrived. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { voidEvent } from '../../../src/economy/events/void-event.ts'
import { onEachEngine } from '../../support/world.ts'
import { DAY, patientFan } from '../packs/packs-world.ts'
import { addQuest, happen, progressRows, read, userIdOf } from './quests-world.ts'

interface Happening {
  day: number
  /** The value that `distinctBy` counts once. */
  match: number
  isVoided: boolean
}

const happenings = fc.array(
  fc.record({ day: fc.nat({ max: 3 }), match: fc.nat({ max: 2 }), isVoided: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
)

/** Each event once or twice, and the voids before or after their events, in any order. */
const deliveries = happenings.chain(events =>
  fc.tuple(
    fc.constant(events),
    fc.shuffledSubarray(
      events.flatMap(({ isVoided }, at) => [
        { at, kind: 'event' as const },
        { at, kind: 'event' as const },
        ...(isVoided ? [{ at, kind: 'void' as const }] : []),
      ]),
      { minLength: 0 },
    ),
  ),
)

/** Counts by day: of all events, and of different matches. */
function modelOf(events: Happening[]) {
  const days = Map.groupBy(
    events.filter(({ isVoided }) => !isVoided),
    ({ day }) => day,
  )
  return Object.fromEntries(
    [...days].map(([day, same]) => [
      `2026-08-${10 + day}`,
      { 'step-1': same.length, 'step-2': new Set(same.map(({ match }) => match)).size },
    ]),
  )
}

onEachEngine('Events in any order, repeated, and voided before or after they arrive', world => {
  test('lead to the same counts and completions', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async ([events, order]) => {
        const steps = [{ target: 2 }, { target: 2, distinctBy: '/match' }]
        const quest = await addQuest(world, { period: 'day', claim: 'manual', steps })
        const subject = crypto.randomUUID()
        const fan = { ...world.anonymous, subject, token: '' }
        await userIdOf(world, fan)
        const deliver = async ({ at, kind }: { at: number; kind: 'event' | 'void' }) => {
          const { day = 0, match = 0 } = events[at] ?? {}
          const eventId = `${subject} ${at}`
          if (kind === 'void') await world.db.write(tx => voidEvent(tx, { source: 'shop', eventId }))
          else {
            const occurredAt = new Date(Date.parse('2026-08-10T12:00:00.000Z') + day * DAY)
            await happen(world, fan, quest.type, { at: occurredAt, eventId, data: { match } })
          }
        }
        for (const delivery of order) await deliver(delivery)
        // Events outside the subset arrive at the end.
        for (const [at, { isVoided }] of events.entries()) {
          await deliver({ at, kind: 'event' })
          if (isVoided) await deliver({ at, kind: 'void' })
        }

        const rows = await progressRows(world, fan, quest.id)
        const counted = rows.filter(({ counts }) => counts !== '{}')
        const model = modelOf(events)
        expect(Object.fromEntries(counted.map(({ period, counts }) => [period, JSON.parse(counts)]))).toEqual(
          model,
        )
        const full = Object.entries(model).filter(
          ([, counts]) => counts['step-1'] > 1 && counts['step-2'] > 1,
        )
        expect(rows.filter(({ completedAt }) => completedAt).map(({ period }) => period)).toEqual(
          full.map(([period]) => period).toSorted(),
        )
      }),
      { numRuns: 40 },
    )
  })
})

onEachEngine('A streak', world => {
  test('of a set of days is the same in whatever order they are reported, and no report ends it', async () => {
    const quests = await Promise.all(
      [0, 1, 3].map(graceDays =>
        addQuest(world, { kind: 'streak', period: 'day', graceDays, claim: 'manual' }),
      ),
    )
    const orders = fc.uniqueArray(fc.nat({ max: 12 }), { minLength: 2, maxLength: 8 }).chain(days =>
      fc.record({
        inOrder: fc.constant(days.toSorted((a, b) => a - b)),
        shuffled: fc.shuffledSubarray(days, { minLength: days.length }),
        at: fc.nat({ max: quests.length - 1 }),
      }),
    )
    const now = world.clock.ms
    await fc.assert(
      fc.asyncProperty(orders, async ({ inOrder, shuffled, at }) => {
        const quest = quests[at]
        if (!quest) throw new Error('there is no such quest')
        const streakAfter = async (days: number[]) => {
          const fan = await patientFan(world)
          let before = 0
          for (const [n, day] of days.entries()) {
            await happen(world, fan, quest.type, { at: new Date(now - day * DAY) })
            const { current } = (await read(fan, quest)).streak
            const isLate = days.slice(0, n).some(other => other < day)
            if (isLate) expect(current).toBeGreaterThanOrEqual(before)
            before = current
          }
          return (await read(fan, quest)).streak
        }
        expect(await streakAfter(shuffled)).toEqual(await streakAfter(inOrder.toReversed()))
      }),
      { numRuns: 25 },
    )
  })
})
