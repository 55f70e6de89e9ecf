/** Null for a member that may be left out: its default, in every kind, wherever an entry is stated. */
import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { withoutNullMembers } from '../../../src/club/catalogue/null-members.ts'
import { type TSchema, Type } from '../../../src/core/typebox.ts'
import { parseRecord } from '../../../src/play/catalogue-file/check-record.ts'
import { catalogJsonSchema } from '../../../src/play/catalogue-file/json-schema.ts'
import {
  type CatalogueRecord,
  fileSchemaOf,
  kindNamed,
  kindNames,
} from '../../../src/play/catalogue-file/kinds.ts'
import { readCatalogue } from '../../../src/play/catalogue-file/read-file.ts'
import { QuestEntry } from '../../../src/play/quests/entry-schema.ts'
import { consoleOf } from '../../console/support.ts'
import { onEachEngine } from '../../support/world.ts'
import { fullCatalogue } from './full-catalogue.ts'

const records: CatalogueRecord[] = [
  ...fullCatalogue(),
  { kind: 'settings', entry: { id: 'club', onboardingPoints: 5 } },
]

const formsOf = (schema: TSchema): TSchema[] => schema.anyOf?.flatMap(formsOf) ?? [schema]

/** A value with null at one place, and the same without the member, for each member that may be left out, at any depth. */
function* withOneNull(
  schema: TSchema,
  value: unknown,
): Generator<{ pointer: string; isNull: unknown; isAbsent: unknown }> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const items = formsOf(schema).find(({ type }) => type === 'array')?.items
    for (const [index, item] of value.entries())
      for (const { pointer, isNull, isAbsent } of withOneNull(items ?? Type.Unknown(), item))
        yield {
          pointer: `/${index}${pointer}`,
          isNull: value.with(index, isNull),
          isAbsent: value.with(index, isAbsent),
        }
    return
  }
  const members = value as Record<string, unknown>
  const form = formsOf(schema).find(
    ({ properties, required = [] }) => properties && required.every((name: string) => name in members),
  )
  const { properties = {}, required = [] }: TSchema = form ?? Type.Unknown()
  for (const [name, member] of Object.entries<TSchema>(properties)) {
    const { [name]: own, ...others } = members
    if (!required.includes(name))
      yield { pointer: `/${name}`, isNull: { ...members, [name]: null }, isAbsent: others }
    for (const { pointer, isNull, isAbsent } of withOneNull(member, own))
      yield {
        pointer: `/${name}${pointer}`,
        isNull: { ...members, [name]: isNull },
        isAbsent: { ...members, [name]: isAbsent },
      }
  }
}

const validate = addFormats(new Ajv({ strict: false })).compile(catalogJsonSchema())

const fileOf = (kind: CatalogueRecord['kind'], entry: unknown) => {
  const { list, only } = kindNamed(kind)
  return { [list]: only === undefined ? [entry] : entry }
}

/** The faults of a file, as a document and as lines, without those of the place. */
const faultsOf = (kind: CatalogueRecord['kind'], entry: unknown) =>
  [
    readCatalogue(JSON.stringify(fileOf(kind, entry)), false),
    readCatalogue(JSON.stringify({ kind, entry }), true),
  ].map(({ faults, records }) => ({
    faults: faults.map(({ message, pointer }) => `${pointer.replace(/^\/(entry|\w+(\/0)?)/, '')} ${message}`),
    entries: records.map(({ record }) => record.entry),
  }))

/** What the kind refuses of a file without the member, too, such as a campaign that gives nothing. */
describe('null for a member that may be left out, of', () => {
  test.each([...kindNames])('the kind %s is the same as its absence', kind => {
    const schema = fileSchemaOf(kind)
    const places = new Set<string>()
    for (const record of records.filter(one => one.kind === kind)) {
      const { id, ...members } = record.entry
      const stated = kindNamed(kind).only === undefined ? { id, ...members } : members
      for (const { pointer, isNull, isAbsent } of withOneNull(schema, stated)) {
        places.add(pointer)
        const [absent, isKept] = [faultsOf(kind, isAbsent), faultsOf(kind, isNull)]
        expect([pointer, isKept.map(({ faults }) => faults)]).toEqual([
          pointer,
          absent.map(({ faults }) => faults),
        ])
        expect([pointer, validate(fileOf(kind, isNull))]).toEqual([pointer, true])
        if (absent[0]?.faults.length === 0) parseRecord(kind, isNull)
      }
    }
    const optional = Object.keys(schema.properties).filter(name => !schema.required?.includes(name))
    expect(optional.filter(name => !places.has(`/${name}`))).toEqual([])
  })

  test('a member of one form of a union is absent, and null within texts and lists stays an error', () => {
    const value = { requires: { quests: null, points: 5 }, steps: [{ id: 'a', when: null }] }
    expect(withoutNullMembers(QuestEntry, value)).toEqual({ requires: { points: 5 }, steps: [{ id: 'a' }] })
    const [{ faults = [] } = {}] = faultsOf('account', { id: 'a', name: 'A', unit: 'points', tiers: [null] })
    expect(faults).toEqual(['/tiers/0 must be a JSON object'])
    expect(faultsOf('account', { id: 'a', name: null, unit: 'points' })[0]?.faults.length).toBe(1)
    expect(readCatalogue('{"teams":null}', false).faults).toMatchObject([{ pointer: '/teams' }])
  })
})

onEachEngine('null for a default', world => {
  test('is saved in the console as the default', async () => {
    const editor = consoleOf(world).as('editor')
    const when = [{ fact: 'checkIns', op: 'gte', value: 5 }]
    const entry = { id: 'regulars', name: 'Regulars', when, tracked: null, active: null }
    const saved = await editor.put('/api/catalogue/segment/entries/regulars', {
      ...{ entry, revision: null, reason: 'New.' },
    })
    expect([saved.status, saved.body.outcome]).toEqual([200, 'created'])
    const { body } = await editor.get('/api/catalogue/segment/entries/regulars')
    expect(body.entry).toMatchObject({ tracked: false, active: true })
  })

  test('is written by a server as the default', async () => {
    const server = world.withToken(await world.serverKey(['questions:write']))
    const question = {
      ...{ kind: 'poll', title: 'Who?', opensAt: '2026-08-15T18:30:00Z', closesAt: '2026-08-15T18:40:00Z' },
      options: [
        { id: 'a', text: 'A', imageUrl: null },
        { id: 'b', text: 'B' },
      ],
      ...{ changeable: null, results: null, active: null, requires: { points: null } },
    }
    const { status, body } = await server.put('/api/questions/defaults', question)
    expect([status, body.changeable, body.requires]).toEqual([201, false, {}])
  })
})
