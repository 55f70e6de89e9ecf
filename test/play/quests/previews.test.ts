/** Previews of rules and quests equal what happens when the rule or quest exists before the events. */
import { expect, test } from 'bun:test'
import { and, eq, isNotNull } from 'drizzle-orm'
import { previewRules } from '../../../src/economy/events/preview-rules.ts'
import { writeEvent } from '../../../src/economy/events/record-event.ts'
import { contentOf, type RuleEntry, ruleOf } from '../../../src/economy/rules/rule.ts'
import { upsertRule } from '../../../src/economy/rules/rule-kind.ts'
import type { QuestEntry } from '../../../src/play/quests/entry-schema.ts'
import { previewQuest } from '../../../src/play/quests/preview-quest.ts'
import { upsertQuest } from '../../../src/play/quests/quest-kind.ts'
import { addFan, unique } from '../../economy/rules/rules-world.ts'
import { onEachEngine } from '../../support/world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Whole numbers below a limit, the same for the same seed. */
function numbers(seed: number) {
  let state = seed * 2_654_435_761
  return (limit: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) | 0
    return (state >>> 0) % limit
  }
}

onEachEngine('Previews', world => {
  /** Events of the last days of some fans, recorded one after another. */
  async function happen(type: string, random: (limit: number) => number, fans: string[], count = 40) {
    for (let n = 0; n < count; n++) {
      world.clock.advance(1_000 + random(5_000))
      await world.db.write(tx =>
        writeEvent(tx, {
          ...{ source: 'shop', eventId: unique('event'), userId: fans[random(fans.length)] ?? '', type },
          occurredAt: new Date(tx.now().getTime() - random(12 * 24) * HOUR),
          data: { amount: random(900), currency: random(3) === 0 ? 'GBP' : 'EUR', sku: `s-${random(4)}` },
        }),
      )
    }
  }
  const since = () => new Date(world.clock.now().getTime() - 30 * DAY)

  function randomRule(random: (limit: number) => number): RuleEntry {
    const now = world.clock.now().getTime()
    const pers = ['day', 'week', 'month', 'ever'] as const
    return {
      id: unique('preview-rule'),
      name: 'Rule',
      eventType: `test.${unique('preview')}`,
      when: random(2) ? [{ path: '/currency', op: 'eq', value: 'EUR' }] : [],
      points: random(2) ? { fixed: 1 + random(50) } : { per: '/amount', every: 1 + random(200), points: 2 },
      limit: random(2) ? { count: 1 + random(3), per: pers[random(4)] ?? 'day' } : null,
      budget: random(3) ? null : 100 + random(400),
      timeZone: ['UTC', 'Europe/Madrid', 'Pacific/Auckland'][random(3)] ?? 'UTC',
      startsAt: random(3) ? null : new Date(now - random(10) * DAY).toISOString(),
    }
  }

  test('of a rule are the points that fans get by it', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = numbers(seed)
      const fans = [await addFan(world), await addFan(world), await addFan(world)]
      const entry = randomRule(random)
      await world.db.write(tx => upsertRule(tx, entry))
      await happen(entry.eventType, random, fans)
      const { previews, isComplete } = await previewRules(world.db.read, [ruleOf(contentOf(entry), 0)], {
        since: since(),
      })
      const { pointsEntries: entries } = world.db.tables
      const gained = new Map<string, { times: number; points: number }>()
      for (const userId of fans)
        for (const { delta } of await world.db.read
          .select()
          .from(entries)
          .where(eq(entries.userId, userId))) {
          const gain = gained.getOrInsertComputed(userId, () => ({ times: 0, points: 0 }))
          gain.times++
          gain.points += delta
        }
      const points = [...gained.values()].reduce((sum, gain) => sum + gain.points, 0)
      const [preview] = previews
      expect({ seed, isComplete, ...preview }).toMatchObject({
        ...{ seed, isComplete: true, ruleId: entry.id, events: 40, fans: gained.size, points },
        grantedBefore: points,
      })
      expect(new Map(preview?.top.map(({ userId, ...gain }) => [userId, gain]))).toEqual(gained)
      expect(preview?.distribution.reduce((sum, { fans }) => sum + fans, 0)).toBe(gained.size)
    }
  })

  function randomQuest(random: (limit: number) => number, requires: string[]): QuestEntry {
    const period = (['once', 'day', 'week', 'month'] as const)[random(4)] ?? 'once'
    const eventType = `test.${unique('preview')}`
    return {
      id: unique('preview-quest'),
      title: 'Quest',
      description: 'A quest.',
      kind: period === 'once' || random(2) ? 'quest' : 'streak',
      period,
      timeZone: ['UTC', 'Pacific/Auckland'][random(2)],
      steps: [
        { id: 'buy', eventType, target: 1 + random(3), distinctBy: random(2) ? '/sku' : null },
        { id: 'big', eventType, target: 1, when: [{ path: '/amount', op: 'gte', value: random(600) }] },
      ],
      requires,
      reward: { points: random(4) * 5 },
      claim: random(3) ? 'auto' : 'manual',
      startsAt: random(3) ? null : new Date(world.clock.now().getTime() - random(10) * DAY).toISOString(),
    }
  }

  test('of a quest are the periods that fans complete', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = numbers(seed + 100)
      const fans = [await addFan(world), await addFan(world), await addFan(world)]
      const first = randomQuest(random, [])
      const entry = randomQuest(random, random(2) ? [first.id] : [])
      await world.db.write(tx => upsertQuest(tx, { ...first, period: 'once', kind: 'quest', startsAt: null }))
      await world.db.write(tx => upsertQuest(tx, entry))
      await happen(first.steps[0]?.eventType ?? '', random, fans, 12)
      await happen(entry.steps[0]?.eventType ?? '', random, fans)
      const preview = await previewQuest(world.db.read, entry, { since: since() })
      const { questProgress } = world.db.tables
      const rows = await world.db.read
        .select()
        .from(questProgress)
        .where(and(eq(questProgress.questId, entry.id), isNotNull(questProgress.completedAt)))
      const points = rows.length * (entry.reward?.points ?? 0)
      const byFan = Map.groupBy(rows, ({ userId }) => userId)
      expect({ seed, ...preview }).toMatchObject({
        ...{
          seed,
          questId: entry.id,
          completions: rows.length,
          points,
          fans: byFan.size,
          isComplete: true,
        },
      })
      expect(new Map(preview.top.map(({ userId, times }) => [userId, times]))).toEqual(
        new Map([...byFan].map(([userId, own]) => [userId, own.length])),
      )
    }
  })

  test('stop when they are aborted, and report when there were too many events', async () => {
    const entry = { ...randomRule(numbers(7)), limit: null, budget: null, when: [], points: { fixed: 1 } }
    await happen(entry.eventType, numbers(7), [await addFan(world)], 12)
    const rules = [ruleOf(contentOf({ ...entry, startsAt: null }), 0)]
    const shares: number[] = []
    const { previews, isComplete } = await previewRules(world.db.read, rules, {
      since: since(),
      maxEvents: 10,
      onProgress: (_, share) => shares.push(share),
    })
    expect([isComplete, previews[0]?.events, previews[0]?.points]).toEqual([false, 10, 10])
    expect(previews[0]?.distribution).toEqual([{ from: 10, fans: 1 }])
    expect(shares[0]).toBe(0)
    const stopped = previewRules(world.db.read, rules, {
      since: since(),
      signal: AbortSignal.abort(new Error('stopped')),
    })
    await expect(stopped).rejects.toThrow('stopped')
  })
})
