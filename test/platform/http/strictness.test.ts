/** Inputs are strict by construction: an operation with a lax schema cannot be declared. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type TSchema, Type } from '@sinclair/typebox'
import { parse } from 'acorn'
import { Glob } from 'bun'
import { isSafe } from 'redos-detector'
import { Closed, Instant, Integer, Nullable, PageQuery, Slug } from '../../../src/core/schemas.ts'
import { declaredOf, operation } from '../../../src/platform/http/contract/operation.ts'
import { requireStrict } from '../../../src/platform/http/contract/strictness.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const within = (member: TSchema) =>
  Closed({ list: Type.Array(Nullable(Closed({ member })), { maxItems: 9 }) })

describe('a schema that is open or unbounded is refused at its declaration', () => {
  const lax: [string, TSchema, string][] = [
    ['an object that says nothing of other members', Type.Object({}), 'closed'],
    ['an open object', Type.Object({}, { additionalProperties: true }), 'closed'],
    ['a record', Type.Record(Type.String({ maxLength: 9 }), Type.Boolean()), 'closed'],
    ['a string without end', Type.String(), 'maxLength'],
    ['a pattern without end', Type.String({ pattern: '^[a-z]+$' }), 'maxLength'],
    ['a pattern that repeats without end', Type.String({ pattern: '^a{3,}$' }), 'maxLength'],
    ['a pattern without anchors', Type.String({ pattern: 'a{3}' }), 'maxLength'],
    ['an array without end', Type.Array(Type.Boolean()), 'maxItems'],
    ['an integer without a minimum', Type.Integer({ maximum: 5 }), 'minimum'],
    ['an integer past 2^53', Type.Integer({ minimum: 0, maximum: 2 ** 53 }), 'minimum'],
    ['a number', Type.Number({ minimum: 0, maximum: 1 }), 'not supported'],
    ['anything', Type.Any(), 'not supported'],
    ['anything unknown', Type.Unknown(), 'not supported'],
    [
      'what is coerced',
      Type.Transform(Type.String({ maxLength: 9 }))
        .Decode(Number)
        .Encode(String),
      'transforms the value',
    ],
  ]
  for (const [name, schema, why] of lax) {
    test(`${name}, at the top and below`, () => {
      expect(() => requireStrict(schema)).toThrow(why)
      expect(() => requireStrict(within(schema))).toThrow('"/list/items/anyOf/0/member"')
    })
  }

  test('in a body, a query and a path alike', () => {
    const declare = (input: object) => () => operation({ id: 'x', summary: 'x', responses: {}, ...input })
    for (const place of ['body', 'query', 'params']) {
      expect(declare({ [place]: Type.Object({}) })).toThrow('closed')
      expect(declare({ [place]: Closed({}) })).not.toThrow()
    }
  })

  test('and the vocabulary of schemas.ts is strict', () => {
    for (const schema of [Slug('x'), Instant('x'), Integer({ minimum: 0 }), Closed(PageQuery)])
      expect(() => requireStrict(within(schema))).not.toThrow()
  })
})

onEngine(sqliteEngine, 'the routes of the application', world => {
  /** Scripts and pictures of Swagger UI; the provider's answer ends in the query of one of them. */
  const isAsset = (path: string) => /^\/docs\/.+\..+/.test(path)
  /** Any handle or id that does not exist leads to the same page, and social networks add parameters to links. */
  const isSharedPage = (path: string) => path.startsWith('/lockers/') || path.startsWith('/shared/')
  /** Letters of the club link to it, and mail programs add parameters. */
  const isLinked = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && (path === '/withdraw' || path === '/notice')

  test('each has a strict schema for its query, its body when it takes one, and its path', () => {
    const open: string[] = []
    let found = 0
    for (const route of world.app.routes) {
      const { method, path, hooks } = route
      // A path that another route's parameter would take answers 405 and reads nothing.
      if (
        isAsset(path) ||
        isSharedPage(path) ||
        isLinked(route) ||
        (path.startsWith('/api/') && !declaredOf(route))
      )
        continue
      found++
      const name = `${method} ${path}`
      // Probes may send any query, which nothing reads.
      expect([name, hooks.query !== undefined]).toEqual([name, !['/healthz', '/readyz'].includes(path)])
      if (method !== 'GET') expect(hooks.body, name).toBeDefined()
      if (path.includes(':')) expect(hooks.params, name).toBeDefined()
      for (const schema of [hooks.query, hooks.body, hooks.params].filter(Boolean) as TSchema[]) {
        if (JSON.stringify(schema).includes('"additionalProperties":true')) open.push(name)
        requireStrict(schema, { open: open.includes(name) })
      }
    }
    expect(found).toBeGreaterThan(20)
    expect(open.toSorted()).toEqual(['POST /api/events', 'POST /api/webhooks/identity'])
  })

  test('no regular expression for input is vulnerable to catastrophic backtracking', async () => {
    const patterns = new Map<string, RegExp>()
    const collect = (pattern: string, flags: string) =>
      patterns.set(`/${pattern}/${flags}`, new RegExp(pattern, flags))
    for (const { hooks } of world.app.routes)
      walk([hooks.query, hooks.body, hooks.params], ({ pattern }) => {
        if (typeof pattern === 'string') collect(pattern, 'u')
      })
    for (const { pattern, flags } of await literals()) collect(pattern, flags)

    expect(patterns.size).toBeGreaterThan(25)
    const unsafe = [...patterns].filter(([, pattern]) => !isSafe(pattern).safe)
    expect(unsafe.map(([name]) => name)).toEqual([])
  })
})

function walk(value: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  visit(value as Record<string, unknown>)
  for (const member of Object.values(value)) walk(member, visit)
}

/** Regular expressions of the source, but for those that read the operator's configuration and provider, and the pages of the guide. */
async function literals(): Promise<{ pattern: string; flags: string }[]> {
  const root = join(import.meta.dir, '../../..')
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const files = [...new Glob('{src,db}/**/*.ts').scanSync(root)].filter(path => !path.endsWith('.d.ts'))
  const found: { pattern: string; flags: string }[] = []
  for (const file of files.filter(
    file =>
      !/node_modules|config|secrets|platform\/docs\/guide|identity-provider\/discovery|contract\/strictness|src\/console/.test(
        file,
      ),
  )) {
    const code = transpiler.transformSync(await Bun.file(join(root, file)).text())
    walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), ({ type, regex }) => {
      if (type === 'Literal' && regex) found.push(regex as (typeof found)[number])
    })
  }
  return found
}
