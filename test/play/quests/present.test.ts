import { expect, test } from 'bun:test'
import { presentQuest } from '../../../src/play/quests/present.ts'
import { definitionOf } from '../../../src/play/quests/quest.ts'

test('A period that began with a version which is not in memory yet is shown with the current one', () => {
  const at = new Date('2026-08-15T12:00:00.000Z')
  const step = { id: 'step', eventType: 'shop.purchase', target: 3 }
  const entry = { id: 'quest', title: 'Quest', description: 'A quest.' }
  const current = definitionOf({ ...entry, kind: 'quest', period: 'once', steps: [step] })
  const availability = { active: true, startsAt: null, endsAt: null }
  const quest = {
    id: 'quest',
    ...availability,
    current,
    version: 1,
    changedAt: at,
    versions: new Map([[1, current]]),
  }
  const unset = {
    ...{ endsAt: null, completedAt: null, completionId: null, claimedAt: null, given: null },
    carriedFrom: null,
  }
  const key = { userId: 'fan', questId: 'quest', period: 'ever' }
  const row = { ...key, ...unset, version: 2, counts: '{"step":1}', createdAt: at }
  expect(presentQuest({ quest, row }, at)).toMatchObject({
    state: 'in_progress',
    progress: [{ stepId: 'step', count: 1, target: 3 }],
  })
})
