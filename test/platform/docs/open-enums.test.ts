/** The variant of the document for clients that decode strictly: what a later release adds breaks none of them. */
import { beforeAll, expect, test } from 'bun:test'
import { createConformance, type OpenApiDocument } from '../../support/conformance.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import { type Document, type Json, walk } from './document.ts'

onEngine(sqliteEngine, 'The OpenAPI document with open enums', world => {
  let closed: Document
  let open: Document
  const fetchFrom = (path: string) => world.app.handle(new Request(`http://localhost${path}`))
  beforeAll(async () => {
    closed = (await (await fetchFrom('/openapi.json')).json()) as Document
    open = (await (await fetchFrom('/openapi.json?enums=open')).json()) as Document
  })

  test('is served at both addresses of the document, and for no other value', async () => {
    expect(await (await fetchFrom('/docs/json?enums=open')).json()).toEqual(open)
    expect(await (await fetchFrom('/docs/json')).json()).toEqual(closed)
    expect(open).not.toEqual(closed)
    for (const query of ['enums=closed', 'enums=', 'enum=open'])
      expect((await fetchFrom(`/openapi.json?${query}`)).status, query).toBe(422)
  })

  /** Enums outside requests that take no other value, and the number of those that do. */
  function enumsOf({ paths, components, ...rest }: Document) {
    const found = { closed: [] as string[], open: 0 }
    const requests = /\/(requestBody|parameters)\//
    const asked = namesIn(Object.values(paths).flatMap(item => Object.values(item).map(of => of.requestBody)))
    const schemas = Object.fromEntries(
      Object.entries(components.schemas).filter(([name]) => !asked.has(name)),
    )
    const { webhooks } = rest as unknown as { webhooks: Json }
    walk({ paths, schemas, responses: components.responses }, visit)
    walk(webhooks, visit)
    function visit(node: Json, pointer: string) {
      const [known, other] = Array.isArray(node.anyOf) ? (node.anyOf as Json[]) : []
      if (known?.enum && other?.type) found.open++
      if (Array.isArray(node.enum) && !pointer.endsWith('/anyOf/0') && !requests.test(pointer))
        found.closed.push(pointer)
    }
    return found
  }

  function namesIn(value: unknown): Set<string> {
    const names = new Set<string>()
    walk(value, ({ $ref }) => {
      if (typeof $ref === 'string') names.add($ref.split('/').at(-1) ?? '')
    })
    return names
  }

  test('has no closed enum in a response or a message, and the same enums in requests', () => {
    const all = enumsOf(closed).closed
    expect(all.length).toBeGreaterThan(10)
    expect(enumsOf(open)).toEqual({ closed: [], open: all.length })
    for (const [path, item] of Object.entries(closed.paths))
      for (const [method, { requestBody, parameters }] of Object.entries(item)) {
        const variant = open.paths[path]?.[method]
        expect({ ...variant?.requestBody }).toEqual({ ...requestBody })
        expect([...(variant?.parameters ?? [])]).toEqual([...(parameters ?? [])])
        for (const name of namesIn(requestBody))
          expect(open.components.schemas[name], name).toEqual(closed.components.schemas[name] ?? {})
      }
  })

  test('has a branch for any other problem in every problem response', () => {
    let responses = 0
    walk(open, node => {
      const content = node['application/problem+json'] as { schema: { anyOf: Json[] } } | undefined
      if (!content) return
      responses++
      const [known = {}, generic, ...more] = content.schema.anyOf
      expect([generic, more]).toEqual([{ $ref: '#/components/schemas/Problem' }, []])
      expect(known).toHaveProperty('$ref' in known ? '$ref' : 'discriminator')
    })
    expect(responses).toBeGreaterThan(20)
  })

  const unknown = {
    type: 'urn:matchday:problem:x',
    title: 'X',
    detail: 'X.',
    requestId: 'r',
    code: 'added_later',
  }
  test.each([
    ['a status of a match', '/api/matches/{matchId}', 'GET', 200, { status: 'abandoned' }],
    ['a problem of a status with several', '/api/rewards/claim', 'POST', 409, { ...unknown, status: 409 }],
    ['a problem of a status with one', '/api/matches/{matchId}', 'GET', 404, { ...unknown, status: 404 }],
  ])(
    'takes %s that is added later, which the closed one refuses',
    async (_, path, method, status, changes) => {
      const match =
        status === 200 ? (await world.anonymous.get(`/api/matches/${await world.match()}`)).body : {}
      const exchange = {
        ...{ path: path.replace('{matchId}', 'x'), method, status, body: { ...match, ...changes } },
        mediaType: status === 200 ? 'application/json' : 'application/problem+json',
      }
      const judge = (document: Document) =>
        // Guarantee of the cast: both types describe the same document.
        createConformance(document as unknown as OpenApiDocument)(exchange)
      expect(judge(closed)).not.toBeNull()
      expect(judge(open)).toBeNull()
    },
  )
})
