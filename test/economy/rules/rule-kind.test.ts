/** Rules as an importer states them. */
import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { eq } from 'drizzle-orm'
import { readVersion } from '../../../src/club/catalogue/versions.ts'
import { RuleEntry } from '../../../src/economy/rules/rule.ts'
import { readRules } from '../../../src/economy/rules/rule-set.ts'
import { entryKinds, planRecord, recordFaults, writeRecord } from '../../../src/play/catalogue-file/kinds.ts'
import { onEachEngine } from '../../support/world.ts'
import { ruleEntry } from './rules-world.ts'

const record = (fields: Partial<RuleEntry> = {}) => ({ kind: 'rule' as const, entry: ruleEntry(fields) })

onEachEngine('A rule of a catalogue file', world => {
  const write = (rule: ReturnType<typeof record>) => world.db.write(tx => writeRecord(tx, rule))
  const revision = async () => (await readVersion(world.db.read))?.revision ?? 0

  async function versionsOf(id: string) {
    const { ruleVersions: versions } = world.db.tables
    const rows = await world.db.read
      .select()
      .from(versions)
      .where(eq(versions.ruleId, id))
      .orderBy(versions.version)
    return rows.map(({ version, entry }) => ({ version, ...JSON.parse(entry) }))
  }

  test('is created, unchanged the second time, and changed member by member', async () => {
    const first = record({ limit: { count: 1, per: 'day' } })
    expect(await planRecord(world.db.read, first)).toEqual({ outcome: 'created', members: {} })
    expect((await write(first)).outcome).toBe('created')
    const before = await revision()
    expect((await write(first)).outcome).toBe('unchanged')
    expect(await revision()).toBe(before)

    const second = {
      ...first,
      entry: { ...first.entry, limit: null, budget: 500, endsAt: '2027-01-01T00:00:00.000Z' },
    }
    const members = {
      limit: [{ count: 1, per: 'day' }, null],
      budget: [null, 500],
      endsAt: [null, '2027-01-01T00:00:00.000Z'],
    }
    expect(await planRecord(world.db.read, second)).toMatchObject({ outcome: 'changed', members })
    expect(await write(second)).toMatchObject({ outcome: 'changed', members })
    expect(await versionsOf(first.entry.id)).toMatchObject([
      { version: before, budget: null, timeZone: 'UTC', when: [], active: true },
      { version: before + 1, budget: 500, limit: null },
    ])
  })

  test('is listed while it is active, and deactivated once', async () => {
    const rule = record()
    const { id } = rule.entry
    await write(rule)
    expect(await entryKinds.rule.listActive(world.db.read)).toContain(id)
    await world.db.write(tx => entryKinds.rule.deactivate(tx, id))
    const after = await revision()
    expect(await entryKinds.rule.listActive(world.db.read)).not.toContain(id)
    await world.db.write(tx => entryKinds.rule.deactivate(tx, id))
    expect(await revision()).toBe(after)
    expect((await versionsOf(id)).map(({ active }) => active)).toEqual([true, false])
    expect(await write(rule)).toMatchObject({ outcome: 'changed', members: { active: [false, true] } })
  })

  test('can be read as it was at any revision', async () => {
    const rule = record()
    const { id } = rule.entry
    const at = async (when: number) => (await readRules(world.db.read, when)).find(found => found.id === id)
    const start = await revision()
    await write(rule)
    await write({ ...rule, entry: { ...rule.entry, points: { fixed: 20 } } })
    await write(record())
    expect(await at(start)).toBeUndefined()
    expect(await at(start + 1)).toMatchObject({ version: start + 1, points: { fixed: 10 } })
    expect(await at(start + 2)).toMatchObject({ version: start + 2, points: { fixed: 20 } })
    expect(await at(start + 3)).toMatchObject({ version: start + 2, points: { fixed: 20 } })
  })

  test('imported by many at once gets a version for each change, and ends as one of them', async () => {
    const rule = record()
    const { id } = rule.entry
    const points = Array.from({ length: 10 }, (_, n) => n + 1)
    await Promise.all(points.map(fixed => write({ ...rule, entry: { ...rule.entry, points: { fixed } } })))
    const versions = await versionsOf(id)
    expect(new Set(versions.map(({ version }) => version)).size).toBe(versions.length)
    const { rules } = world.db.tables
    const [row] = await world.db.read.select().from(rules).where(eq(rules.id, id))
    expect(row?.version).toBe(versions.at(-1)?.version)
    expect(JSON.parse(row?.definition ?? '')).toMatchObject({ points: versions.at(-1)?.points })
  })
})

interface Faulty {
  what: string
  fields: Partial<RuleEntry>
  pointer: string
}

describe('A rule of a catalogue file', () => {
  test.each<Faulty>([
    { what: 'an unknown time zone', fields: { timeZone: 'Europe/Atlantis' }, pointer: '/timeZone' },
    { what: 'an offset as the time zone', fields: { timeZone: '+01:00' }, pointer: '/timeZone' },
    {
      what: 'a value that its operator cannot compare',
      fields: { when: [{ path: '/amount', op: 'gt', value: true }] },
      pointer: '/when/0/value',
    },
    {
      what: 'an end before its start',
      fields: { startsAt: '2026-09-01T00:00:00.000Z', endsAt: '2026-08-01T00:00:00.000Z' },
      pointer: '/endsAt',
    },
    { what: 'a reserved slug', fields: { id: 'purchase' }, pointer: '/id' },
  ])('has a fault with $what', ({ fields, pointer }) => {
    expect(recordFaults(record(fields)).map(fault => fault.pointer)).toEqual([pointer])
  })

  test.each([
    { what: 'no points', fields: { points: { fixed: 0 } } },
    { what: 'negative points', fields: { points: { fixed: -1 } } },
    { what: 'more points than an event may earn', fields: { points: { fixed: 1_000_000_001 } } },
    {
      what: 'points by a path that is no pointer',
      fields: { points: { per: 'amount', every: 1, points: 1 } },
    },
    { what: 'points for every nothing', fields: { points: { per: '/amount', every: 0, points: 1 } } },
    { what: 'a limit of none', fields: { limit: { count: 0, per: 'day' as const } } },
    { what: 'a limit per year', fields: { limit: { count: 1, per: 'year' } } },
    { what: 'a budget of nothing', fields: { budget: 0 } },
    { what: 'an event type that is not dotted', fields: { eventType: 'purchase' } },
    { what: 'an unknown operator', fields: { when: [{ path: '/a', op: 'like', value: 'x' }] } },
    { what: 'an unknown member', fields: { point: 1 } },
  ])('is invalid with $what', ({ fields }) => {
    expect(Value.Check(RuleEntry, ruleEntry())).toBe(true)
    expect(Value.Check(RuleEntry, { ...ruleEntry(), ...fields })).toBe(false)
  })
})
