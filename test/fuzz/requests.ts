/** Requests to an operation of the OpenAPI document: some valid, most nearly so, some plainly hostile. */
import fc, { type Arbitrary } from 'fast-check'
import type { Document, Json, Located } from '../platform/docs/document.ts'
import { anyCharacter } from '../support/any-character.ts'

export interface FuzzedRequest {
  /** Path and query, encoded or meant not to be. */
  target: string
  headers: Record<string, string>
  /** Undefined where none is sent. */
  body: string | undefined
  /** Null for none at all. */
  credential: 'valid' | 'garbage' | null
  /** Whether a delivery is signed as agreed. */
  isSigned: boolean
}

/** Values of members by name that mean something in the database, to get past the first lookup. */
export type KnownValues = Record<string, readonly string[]>

/** Names that every object inherits, or that mean something to some parser. */
const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'points',
  '',
  'a/b~c',
)
const hostileText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e',
    '../..',
    '%00',
    '%zz',
    "' OR 1=1 --",
    '{{7*7}}',
    '🏟'.repeat(60),
  ),
  fc.constantFrom('__proto__', 'x'.repeat(5000), '9007199254740993', '0x10', 'null', '[object Object]'),
)
const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -0, -1, 0.5, 2 ** 53, -(2 ** 63), 1e308),
  fc.array(hostileText, { maxLength: 3 }),
  pairs(hostileName, hostileText),
  fc.integer({ min: 1, max: 60 }).map(nest),
)

/** An object by its own members, `__proto__` among them. */
function pairs(name: Arbitrary<string>, value: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.array(fc.tuple(name, value), { maxLength: 3 }).map(entries => Object.fromEntries(entries))
}

function nest(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

export function requestsOf(
  document: Document,
  { path, method, operation }: Located,
  known: KnownValues,
): Arbitrary<FuzzedRequest> {
  const resolve = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? resolve(document.components.schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {})
      : schema

  /** Mostly of the schema, sometimes anything. */
  const likely = (schema: Json, name = ''): Arbitrary<unknown> =>
    fc.oneof({ arbitrary: validOf(resolve(schema), name), weight: 9 }, { arbitrary: hostileValue, weight: 1 })

  function validOf(schema: Json, name: string): Arbitrary<unknown> {
    const values = known[name]
    if (values) return fc.oneof(fc.constantFrom(...values), fc.uuid())
    if ('const' in schema) return fc.constant(schema.const)
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
    if (Array.isArray(schema.anyOf))
      return fc.oneof(...schema.anyOf.map(variant => likely(variant as Json, name)))
    const types = [schema.type].flat()
    const arbitraries = types.map(type => validOfType(String(type), schema))
    return fc.oneof(...arbitraries)
  }

  function validOfType(type: string, schema: Json): Arbitrary<unknown> {
    if (type === 'object') return validObject(schema)
    if (type === 'boolean') return fc.boolean()
    if (type === 'null') return fc.constant(null)
    if (type === 'integer') return fc.integer({ min: Number(schema.minimum ?? 0), max: 200 })
    if (type === 'array') return fc.array(likely((schema.items ?? {}) as Json), { maxLength: 3 })
    if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern, 'u'))
    return fc.string({
      minLength: Number(schema.minLength ?? 0),
      maxLength: Math.min(Number(schema.maxLength ?? 80), 80),
    })
  }

  function validObject(schema: Json): Arbitrary<unknown> {
    const members = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    const required = (schema.required ?? []) as string[]
    const record = fc.record(
      Object.fromEntries(members.map(([name, member]) => [name, likely(member, name)])),
      {
        requiredKeys: required.filter(name => members.some(([member]) => member === name)),
      },
    )
    const unknown = fc.oneof(
      { arbitrary: fc.constant({}), weight: 9 },
      { arbitrary: pairs(hostileName, hostileValue), weight: 1 },
    )
    return fc
      .tuple(record, unknown)
      .map(([own, more]) => Object.fromEntries([...Object.entries(own), ...Object.entries(more as object)]))
  }

  const schema = operation.requestBody?.content?.['application/json']?.schema
  const parameters = operation.parameters ?? []
  const takesBody = method !== 'GET'
  const json = (schema ? likely(schema) : fc.oneof(fc.constant({}), hostileValue)).map(value =>
    JSON.stringify(value),
  )
  const body = fc.oneof(
    { arbitrary: json, weight: 17 },
    { arbitrary: fc.constant(undefined), weight: 1 },
    { arbitrary: hostileText, weight: 1 },
    { arbitrary: json.map(text => text.slice(0, -1)), weight: 1 },
  )

  return fc.record({
    target: fc.tuple(pathOf(path, known), queryOf(parameters, known)).map(([at, query]) => at + query),
    headers: headers(),
    body: takesBody ? body : fc.constant(undefined),
    credential: fc.oneof(
      { arbitrary: fc.constant('valid' as const), weight: 12 },
      { arbitrary: fc.constantFrom('garbage' as const, null), weight: 1 },
    ),
    isSigned: fc.oneof(
      { arbitrary: fc.constant(true), weight: 4 },
      { arbitrary: fc.constant(false), weight: 1 },
    ),
  })
}

function pathOf(template: string, known: KnownValues): Arbitrary<string> {
  const segments = template.split('/').map(segment => {
    const name = /^\{(.+)\}$/.exec(segment)?.[1]
    if (name === undefined) return fc.constant(segment)
    const hostile = hostileText
      // A URL takes these two away, and with them the path.
      .filter(text => !['', '.', '..'].includes(text))
      .map(text => encodeURIComponent(text.toWellFormed()))
    return fc.oneof(fc.constantFrom(...(known[name] ?? ['some-id'])), fc.uuid(), hostile)
  })
  return fc.tuple(...segments).map(parts => parts.join('/'))
}

function queryOf(parameters: { name?: string; in?: string }[], known: KnownValues): Arbitrary<string> {
  const names = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name ?? '')
  const name =
    names.length > 0
      ? fc.oneof({ arbitrary: fc.constantFrom(...names), weight: 9 }, { arbitrary: hostileName, weight: 1 })
      : hostileName
  const value = fc.oneof(
    fc.integer({ min: -1, max: 120 }).map(String),
    hostileText,
    fc.constantFrom(...(known.cursor ?? [''])),
  )
  const encoded = fc
    .tuple(name, value)
    .map(pair => pair.map(text => encodeURIComponent(text.toWellFormed())).join('='))
  const pair = fc.oneof(
    { arbitrary: encoded, weight: 9 },
    { arbitrary: fc.constantFrom('%', 'limit=%ff', '=', '&', 'limit', '%00=1'), weight: 1 },
  )
  const query = fc.array(pair, { minLength: 1, maxLength: 3 }).map(pairs => `?${pairs.join('&')}`)
  return fc.oneof(
    { arbitrary: fc.constant(''), weight: names.length > 0 ? 1 : 9 },
    { arbitrary: query, weight: 1 },
  )
}

/** Valid bytes of a header: no control characters. */
const headerText = fc
  .array(
    fc.integer({ min: 0x20, max: 0xff }).filter(code => code < 0x7f || code > 0x9f),
    { maxLength: 40 },
  )
  .map(codes => String.fromCharCode(...codes).trim())

function headers(): Arbitrary<Record<string, string>> {
  const rarely = (values: Arbitrary<string>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 9 }, { arbitrary: values, weight: 1 })
  return fc
    .record({
      'content-type': fc.oneof(
        { arbitrary: fc.constant('application/json'), weight: 17 },
        {
          arbitrary: fc.constantFrom(
            'application/json;charset=utf-8',
            'text/plain',
            'application/json; charset=latin1',
          ),
          weight: 1,
        },
        { arbitrary: fc.oneof(headerText, fc.constant(undefined)), weight: 1 },
      ),
      'content-encoding': rarely(fc.constantFrom('gzip', 'identity', 'br, gzip', '')),
      'idempotency-key': fc.oneof(fc.constant(undefined), fc.constantFrom('a', 'b', 'c'), headerText),
      'x-request-id': rarely(headerText),
      accept: rarely(headerText),
      'accept-language': rarely(headerText),
      'if-none-match': rarely(headerText),
      cookie: rarely(headerText),
    })
    .map(all =>
      Object.fromEntries(
        Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
    )
}
