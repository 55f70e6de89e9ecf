/** Quests as an importer states them. */

import { expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { findWrongCatalogue } from '../../../src/audit/records/verify-catalogue.ts'
import type { EntryFault } from '../../../src/club/catalogue/entry.ts'
import { DomainError } from '../../../src/core/problems.ts'
import { planRecord } from '../../../src/play/catalogue-file/kinds.ts'
import type { QuestEntry } from '../../../src/play/quests/entry-schema.ts'
import { questKind, upsertQuest } from '../../../src/play/quests/quest-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import { patientFan } from '../packs/packs-world.ts'
import { addQuest, claim, happen, newType, read } from './quests-world.ts'

let made = 0

const entryOf = (fields: Partial<QuestEntry> = {}): QuestEntry => ({
  id: `imported-${++made}`,
  title: 'Quest',
  description: 'A quest.',
  kind: 'quest',
  steps: [{ id: 'step', eventType: newType(), target: 1 }],
  period: 'once',
  ...fields,
})

test.each<{ title: string; fields: Partial<QuestEntry>; pointer: string }>([
  { title: 'a time zone that does not exist', fields: { timeZone: 'Europe/Atlantis' }, pointer: '/timeZone' },
  {
    title: 'an achievement that repeats',
    fields: { kind: 'achievement', period: 'day' },
    pointer: '/period',
  },
  { title: 'a streak without periods', fields: { kind: 'streak' }, pointer: '/period' },
  { title: 'grace for what is no streak', fields: { graceDays: 1 }, pointer: '/graceDays' },
  { title: 'a quest that requires itself', fields: { id: 'self', requires: ['self'] }, pointer: '/requires' },
  {
    title: 'a reward for each of many periods',
    fields: { period: 'week', reward: { rewardId: 'scarf' } },
    pointer: '/reward/rewardId',
  },
  {
    title: 'two steps of the same id',
    fields: { steps: [1, 2].map(target => ({ id: 'step', eventType: 'shop.purchase', target })) },
    pointer: '/steps/1/id',
  },
  {
    title: 'a condition with a value of the wrong type',
    fields: {
      steps: [
        {
          id: 'step',
          eventType: 'shop.purchase',
          target: 1,
          when: [{ path: '/amount', op: 'gt', value: true }],
        },
      ],
    },
    pointer: '/steps/0/when/0/value',
  },
  {
    title: 'an end before its start',
    fields: { startsAt: '2026-02-01T00:00:00.000Z', endsAt: '2026-01-01T00:00:00.000Z' },
    pointer: '/endsAt',
  },
])('The import of quests refuses $title', ({ fields, pointer }) => {
  expect(questKind.faults(entryOf()).concat(questKind.faults(entryOf(fields)))).toEqual([
    { pointer, message: expect.any(String) },
  ])
})

onEachEngine('The import of a quest', world => {
  const write = (entry: QuestEntry) => world.db.write(tx => upsertQuest(tx, entry))

  async function faultsOf(attempt: Promise<unknown>): Promise<string[]> {
    const error = await attempt.catch((thrown: unknown) => thrown)
    if (!(error instanceof DomainError)) throw error
    expect(error.code).toBe('catalogue_conflict')
    // Guarantee: errors of this code are faults of an entry.
    return ((error.explanation.errors ?? []) as EntryFault[]).map(({ pointer }) => pointer)
  }

  test('reports what it changes, keeps every version, and changes nothing the second time', async () => {
    const entry = entryOf()
    const plan = () => planRecord(world.db.read, { kind: 'quest', entry })
    expect(await plan()).toEqual({ outcome: 'created', members: {} })
    expect((await write(entry)).outcome).toBe('created')
    expect(await write(entry)).toEqual({ outcome: 'unchanged', members: {} })
    entry.title = 'Another title'
    expect(await plan()).toEqual({ outcome: 'changed', members: { title: ['Quest', 'Another title'] } })
    expect((await write(entry)).outcome).toBe('changed')
    const { questVersions } = world.db.tables
    const versions = await world.db.read
      .select()
      .from(questVersions)
      .where(eq(questVersions.questId, entry.id))
    expect(versions.map(version => JSON.parse(version.entry).title).toSorted()).toEqual([
      'Another title',
      'Quest',
    ])
  })

  test('refuses names that do not exist, unless the same import writes them before', async () => {
    const entry = entryOf({
      requires: ['missing-quest'],
      reward: { rewardId: 'missing-reward', collectibleId: 'missing-item' },
    })
    const pointers = ['/requires/0', '/reward/rewardId', '/reward/collectibleId']
    expect(await faultsOf(write(entry))).toEqual(pointers)
    const plan = (...written: string[]) =>
      planRecord(world.db.read, { kind: 'quest', entry }, { written: new Set(written) })
    expect(await faultsOf(plan('rewards missing-quest'))).toEqual(pointers)
    const all = ['quests missing-quest', 'rewards missing-reward', 'collectibles missing-item']
    expect((await plan(...all)).outcome).toBe('created')
  })

  test('its versions are those of its history, in whichever form `requires` was stated', async () => {
    const required = entryOf()
    await write(required)
    for (const requires of [[required.id], { notCountries: ['PT'] }, { quests: [required.id], points: 5 }])
      await write(entryOf({ requires }))
    const found = await findWrongCatalogue(world.db.read)
    expect(found.filter(({ what }) => what.startsWith('quest_versions'))).toEqual([])
  })

  test('refuses quests that require one another in a circle', async () => {
    const [first, second, third] = [entryOf(), entryOf(), entryOf()]
    await write(first)
    await write({ ...second, requires: [first.id] })
    await write({ ...third, requires: [second.id] })
    expect(await faultsOf(write({ ...first, requires: [third.id] }))).toEqual(['/requires/0'])
    const { questRequirements } = world.db.tables
    const rows = await world.db.read
      .select()
      .from(questRequirements)
      .where(and(eq(questRequirements.questId, third.id)))
    expect(rows).toEqual([{ questId: third.id, requiredId: second.id }])
  })

  test.each<{ name: string; change: Partial<QuestEntry> }>([
    { name: 'period', change: { period: 'week' } },
    { name: 'timeZone', change: { timeZone: 'Asia/Tokyo' } },
    { name: 'graceDays', change: { graceDays: 3 } },
    { name: 'kind', change: { kind: 'quest', graceDays: 0 } },
  ])('keeps $name once fans have progress', async ({ name, change }) => {
    const { type, ...entry } = await addQuest(world, {
      kind: 'streak',
      period: 'day',
      steps: [{ target: 5 }],
    })
    await write({ ...entry, ...change })
    await write(entry)
    await happen(world, await patientFan(world), type)
    expect(await faultsOf(write({ ...entry, ...change }))).toEqual([`/${name}`])
    expect((await write({ ...entry, title: 'Renamed' })).outcome).toBe('changed')
  })

  test('that deactivates a quest ends its counting, and keeps completed periods', async () => {
    const [off, on] = [await addQuest(world, { claim: 'manual' }), await addQuest(world)]
    const [before, after] = [await patientFan(world), await patientFan(world)]
    await happen(world, before, off.type)
    await world.db.write(tx => questKind.deactivate(tx, off.id))
    await happen(world, after, off.type)
    expect(await questKind.listActive(world.db.read)).toContain(on.id)
    expect(await questKind.listActive(world.db.read)).not.toContain(off.id)
    expect((await read(before, off)).state).toBe('completed')
    expect(await read(after, off)).toBeUndefined()
    expect((await claim(before, off.id)).status).toBe(200)
    expect(await read(before, off)).toBeUndefined()
  })
})
