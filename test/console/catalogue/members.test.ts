/** The form of each kind: every member has a field of its own, and what names something else is chosen. */
import { describe, expect, test } from 'bun:test'
import { iso31661 } from 'iso-3166'
import { COUNTRIES } from '../../../src/console/screens/catalogue/countries.ts'
import { isReference } from '../../../src/console/screens/catalogue/references.ts'
import {
  initialOf,
  type Schema,
  shapeOf,
  type Value,
  withoutNull,
} from '../../../src/console/screens/catalogue/shapes.ts'
import { ratesOf, writtenRates } from '../../../src/console/screens/catalogue/tax-rates.ts'
import { countMissing, listTexts, withoutEmptied } from '../../../src/console/screens/catalogue/texts.ts'
import { isCountry } from '../../../src/core/country.ts'
import { entryJsonSchema } from '../../../src/play/catalogue-file/json-schema.ts'
import { kindNames } from '../../../src/play/catalogue-file/kinds.ts'

interface Member {
  name: string
  pointer: string
  schema: Schema
}

/** Every member at any depth that is one value or has no known shape, by the names of its lists and objects. */
function* membersOf(name: string, pointer: string, given: Schema): Generator<Member> {
  const { schema } = withoutNull(given)
  const shape = shapeOf(schema)
  if (shape.is === 'object')
    for (const [member, of] of Object.entries(shape.properties))
      yield* membersOf(member, `${pointer}/${member}`, of)
  else if (shape.is === 'list') yield* membersOf(name, `${pointer}/0`, shape.items)
  else if (shape.is === 'short') yield* membersOf(name, pointer, shape.long)
  else if (shape.is === 'variants')
    for (const variant of shape.variants) yield* membersOf(name, pointer, variant)
  else yield { name, pointer, schema }
}

/** Words of the kind itself: an id of its own, or a word of another system. */
const OWN_WORDS = ['id', 'purpose', 'category', 'file', 'code', 'contract', 'minimum', 'version', 'rarity']

describe('the members of', () => {
  test.each([...kindNames])('%s have fields, none as JSON', kind => {
    // Guarantee of the cast: the keywords that TypeBox writes.
    const members = [...membersOf('', '', entryJsonSchema(kind) as Schema)]
    expect(members.length).toBeGreaterThan(2)
    expect(members.filter(({ schema }) => shapeOf(schema).is === 'other')).toEqual([])
    const named = members.filter(
      ({ schema }) =>
        shapeOf(schema).is === 'string' &&
        /^\^(\[a-z0-9\]|\[A-Z\]\{2\}|\[a-z\]|\(\/)/.test(schema.pattern ?? ''),
    )
    expect(
      named
        .filter(({ name }) => !isReference(name) && !OWN_WORDS.includes(name))
        .map(({ pointer }) => pointer),
    ).toEqual([])
  })

  test('a shape that no field knows is found', () => {
    const unknown: Schema = {
      properties: { deep: { type: 'array', items: { anyOf: [{ type: 'string' }, {}] } } },
      type: 'object',
    }
    expect(
      [...membersOf('', '', unknown)].map(({ pointer, schema }) => [pointer, shapeOf(schema).is]),
    ).toEqual([['/deep/0', 'other']])
  })
})

test('the countries of the console are those of the API', () => {
  expect(COUNTRIES.filter(code => !isCountry(code))).toEqual([])
  const known = iso31661.map(({ alpha2 }) => alpha2).filter(isCountry)
  expect(COUNTRIES.toSorted()).toEqual([...known, 'XK'].toSorted())
})

test.each<[unknown, ReturnType<typeof ratesOf>]>([
  [null, { others: null, countries: {} }],
  [0.21, { others: 0.21, countries: {} }],
  [
    { DE: 0.19, default: 0.21 },
    { others: 0.21, countries: { DE: 0.19 } },
  ],
  // Of a country that was just added.
  [
    { DE: null, default: 0 },
    { others: 0, countries: { DE: null } },
  ],
])('the form of the tax rate %j writes the same again', (stated, rates) => {
  expect(ratesOf(stated)).toEqual(rates)
  expect(writtenRates(rates)).toEqual(stated)
})

test('the tax rate of products and packs has a field of rates', () => {
  for (const kind of ['product', 'pack'] as const) {
    // Guarantee of the cast: the keywords that TypeBox writes.
    const { properties = {} } = entryJsonSchema(kind) as Schema
    expect(shapeOf(withoutNull(properties.taxRate ?? {}).schema)).toEqual({ is: 'rates' })
  }
})

test.each<[string, string | Record<string, string>, number]>([
  ['a text', 'Season', 1],
  ['a text of digits and signs', '2026/27', 0],
  ['one by language', { en: '2026/27' }, 0],
  ['one that is not written yet', '', 1],
])('%s in the form is missing in another language, unless it has no letter', (_, text, missing) => {
  expect(countMissing([{ pointer: '/name', text }], 'pt', 'en')).toBe(missing)
})

test.each<[string, Value, string[]]>([
  ['an empty body', '', []],
  ['an emptied body', { en: '', pt: '' }, []],
  ['a body in one language', { en: 'Come early', pt: '' }, ['/body']],
])('%s of a notification, which is optional, is a text that other languages lack: %j', (_, body, stated) => {
  // Guarantee of the cast: the keywords that TypeBox writes.
  const texts = listTexts(entryJsonSchema('notification') as Schema, { title: 'Kick-off', body }, '')
  expect(texts.map(({ pointer }) => pointer)).toEqual(['/title', ...stated])
})

test('a text that can be null is null once it is emptied in each language', () => {
  // Guarantee of the cast: the keywords that TypeBox writes.
  const schema = entryJsonSchema('match') as Schema
  const match = { venue: { en: '', pt: '' }, round: { en: 'Final', pt: '' } }
  expect(withoutEmptied(schema, match, 'en')).toEqual({ venue: null, round: 'Final' })
  expect(listTexts(schema, match, '').map(({ pointer }) => pointer)).toEqual(['/round'])
})

describe('the options of a question', () => {
  // Guarantee of the cast: the keywords that TypeBox writes.
  const { properties = {} } = entryJsonSchema('question') as Schema
  const options = properties.options ?? {}

  test('are a list at first, with the fewest rows', () => {
    expect(initialOf(options)).toEqual([
      { id: '', text: '' },
      { id: '', text: '' },
    ])
  })

  test('count their texts by language, and lose emptied ones', () => {
    const value = [
      { id: 'a', text: { en: 'Yes', pt: '' } },
      { id: 'b', text: 'No' },
    ]
    expect(listTexts(options, value, '/options').map(({ pointer }) => pointer)).toEqual([
      '/options/0/text',
      '/options/1/text',
    ])
    expect(withoutEmptied(options, value, 'en')).toEqual([
      { id: 'a', text: 'Yes' },
      { id: 'b', text: 'No' },
    ])
    expect(withoutEmptied(options, { scale: 5 }, 'en')).toEqual({ scale: 5 })
  })
})
