/** What generators of clients need of the document. That their clients compile, `.ci/run` checks (`test/clients`). */
import { beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../../src/app/app.ts'
import { problemTypes } from '../../../src/app/problem-types.ts'
import { createConformance, type OpenApiDocument } from '../../support/conformance.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import {
  contentsOf,
  type Document,
  fetchDocument,
  type Json,
  operationsOf,
  readDocument,
  walk,
} from './document.ts'

onEngine(sqliteEngine, 'the OpenAPI document, for generators', world => {
  /** As it is served, and with shared responses written out. */
  let served: Document
  let document: Document
  beforeAll(async () => {
    served = await fetchDocument(world)
    document = await readDocument(world)
  })

  /** Calls `visit` on each member of each object schema. */
  function eachMember(visit: (member: Json, pointer: string) => void) {
    walk(document, ({ type, properties }, pointer) => {
      if (type !== 'object' || properties === undefined || /\/examples?\//.test(pointer)) return
      for (const [name, member] of Object.entries(properties as Record<string, Json>))
        visit(member, `${pointer}/${name}`)
    })
  }

  test('is at the host that serves it, or at PUBLIC_URL', async () => {
    expect(served.servers.map(({ url }) => url)).toEqual(['/'])
    const docs = { ...world.config.docs, publicUrl: 'https://api.club.example/v1' }
    const elsewhere = createApp({ ...world.deps, config: { ...world.config, docs } })
    expect((await fetchDocument({ app: elsewhere })).servers.map(({ url }) => url)).toEqual([
      'https://api.club.example/v1',
    ])
  })

  test('lists every code in one enum', () => {
    const codes = contentsOf(document)
      .filter(({ mediaType }) => mediaType === 'application/problem+json')
      .flatMap(({ content }) => Object.keys(content.examples ?? {}))
    const { ProblemCode, Problem } = served.components.schemas
    expect(new Set(ProblemCode?.enum as string[])).toEqual(
      new Set([...codes, 'not_found', 'method_not_allowed']),
    )
    expect(Problem?.properties).toHaveProperty('code', { $ref: '#/components/schemas/ProblemCode' })
  })

  test('names a schema for each code of an operation, with the members of that code', () => {
    const { InsufficientPointsProblem } = served.components.schemas
    expect(InsufficientPointsProblem).toMatchObject({
      description: problemTypes.insufficient_points.description,
      allOf: [{ $ref: '#/components/schemas/Problem' }],
      required: ['code', 'pointsRequired', 'points', 'missingPoints'],
      properties: { code: { const: 'insufficient_points' }, missingPoints: { type: 'integer' } },
    })
    walk(served, (node, pointer) => expect(Object.keys(node), pointer).not.toContain('if'))
  })

  test('joins the schemas of a response by oneOf, with the code as discriminator', () => {
    const content = served.paths['/api/rewards/claim']?.post?.responses[409]?.content ?? {}
    const $ref = '#/components/schemas/InsufficientPointsProblem'
    expect(content['application/problem+json']?.schema).toMatchObject({
      oneOf: expect.arrayContaining([{ $ref }]),
      discriminator: { propertyName: 'code', mapping: { insufficient_points: $ref } },
    })
  })

  test('writes a problem response that operations share once, and stays under 6 KB an operation without its webhooks', async () => {
    const written = new Map<string, string>()
    for (const { name, operation } of operationsOf(served)) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (!('application/problem+json' in (response.content ?? {}))) continue
        const text = JSON.stringify(response)
        expect(written.get(text), `${name} ${status}`).toBeUndefined()
        written.set(text, name)
      }
    }
    expect(Object.keys(served.components.responses)).toContain('RateLimited')
    const response = await world.app.handle(new Request('http://localhost/docs/json'))
    const bytes = (await response.arrayBuffer()).byteLength
    // Types of events grow apart from operations.
    const ofEvents = Buffer.byteLength(JSON.stringify(served.webhooks))
    expect(ofEvents).toBeGreaterThan(0)
    expect(bytes - ofEvents).toBeLessThan(6_000 * operationsOf(served).length)
  })

  test('leaves responses open to new members, and closes requests', () => {
    const closed = new Set<string>()
    for (const { name, content } of contentsOf(document)) {
      const isRequest = name.endsWith(', request')
      // An object without declared members is data of the client's own.
      const open = everySchema(content.schema).filter(
        ({ type, properties, additionalProperties }) =>
          type === 'object' && Object.keys(properties ?? {}).length > 0 && additionalProperties !== false,
      )
      if (isRequest && open.length === 0) closed.add(name)
      if (!isRequest)
        for (const schema of everySchema(content.schema))
          expect(schema.additionalProperties, name).toBeUndefined()
    }
    // Deliveries of other systems may carry any member.
    const requests = operationsOf(document).filter(({ operation }) => operation.requestBody)
    expect(closed.size).toBe(requests.filter(({ path }) => !path.startsWith('/api/webhooks/')).length)

    function everySchema(schema: Json): Json[] {
      const found: Json[] = []
      walk(schema, node => {
        if (typeof node.$ref !== 'string') found.push(node)
        else found.push(...everySchema(served.components.schemas[node.$ref.split('/').at(-1) ?? ''] ?? {}))
      })
      return found
    }
  })

  test('describes every member', () => {
    let members = 0
    eachMember(({ $ref, description }, pointer) => {
      members++
      if ($ref === undefined)
        expect({ pointer, description }).toEqual({ pointer, description: expect.stringMatching(/\w{2}/) })
    })
    expect(members).toBeGreaterThan(200)
  })

  test('describes every parameter, with an example', () => {
    for (const { name, operation } of operationsOf(document)) {
      for (const { description, schema, ...parameter } of operation.parameters ?? []) {
        if ('$ref' in parameter) continue
        expect(description, `${name} ${parameter.name}`).toMatch(/\w{2}/)
        expect(schema.examples, `${name} ${parameter.name}`).toBeArray()
      }
    }
    for (const [name, { schema }] of Object.entries(served.components.parameters))
      expect((schema as Json).examples, name).toBeArray()
  })

  test('gives every integer 64 bits', () => {
    let integers = 0
    walk(served, ({ type, format }, pointer) => {
      if (/\/(examples?|default)\//.test(pointer)) return
      if (type !== 'integer' && !(Array.isArray(type) && type.includes('integer'))) return
      integers++
      expect({ pointer, format }).toEqual({ pointer, format: 'int64' })
    })
    expect(integers).toBeGreaterThan(50)
  })

  test('requires `errors` of validation_failed', () => {
    const { ValidationFailedProblem, FieldError } = served.components.schemas
    expect(ValidationFailedProblem).toMatchObject({
      required: ['code', 'errors'],
      properties: {
        errors: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/FieldError' } },
      },
    })
    expect(FieldError?.required).toEqual(['message'])
  })

  test('states the limits of a body', () => {
    const { displayName, bio, country } = (served.components.schemas.ProfileChange?.properties ?? {}) as Json
    expect(displayName).toMatchObject({ type: ['string', 'null'], minLength: 1, maxLength: 50 })
    expect(bio).toMatchObject({ type: ['string', 'null'], maxLength: 280 })
    expect(country).toMatchObject({ pattern: '^[A-Z]{2}$' })
    expect(JSON.stringify(served)).not.toContain('"profile-')
  })

  test('gives no member of a body a default, by which generators would require it', () => {
    const { joinLeaderboard } = (served.components.schemas.CompleteOnboarding?.properties ?? {}) as Json
    expect(joinLeaderboard).toEqual({
      type: 'boolean',
      description: 'Whether to enrol in the global leaderboard. Default: `true`.',
    })
    walk(served.components.schemas, (node, pointer) =>
      expect(Object.keys(node), pointer).not.toContain('default'),
    )
  })
})

describe('conformance', () => {
  const member = { type: 'string' }
  const problem = {
    type: 'object',
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    properties: { missing: member },
  }
  const content = (mediaType: string, name: string) => ({
    content: { [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const document = {
    openapi: '3.1.0',
    paths: {
      '/x': {
        get: {
          responses: {
            200: content('application/json', 'Thing'),
            409: { $ref: '#/components/responses/No' },
          },
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          properties: { name: member, inner: { type: 'object', properties: { a: member } } },
        },
        Problem: { type: 'object', properties: { code: member } },
        NoProblem: problem,
      },
      responses: { No: content('application/problem+json', 'NoProblem') },
    },
    // Guarantee: the members that conformance reads are there.
  } as unknown as OpenApiDocument
  const judge = createConformance(document)
  const answer = (status: number, body: unknown) =>
    judge({
      ...{ method: 'GET', path: '/x', status, body },
      mediaType: status === 200 ? 'application/json' : 'application/problem+json',
    })

  test.each([
    [200, { name: 'x', inner: { a: 'x' } }, null],
    [200, { name: 'x', other: 'x' }, /additional properties/],
    [200, { inner: { a: 'x', other: 'x' } }, /additional properties/],
    [409, { code: 'x', missing: 'x' }, null],
    [409, { code: 'x', other: 'x' }, /unevaluated properties/],
  ])('holds a response %p of %j to the members that are declared', (status, body, fault) => {
    const found = answer(status, body)
    if (fault === null) expect(found).toBeNull()
    else expect(found).toMatch(fault)
  })
})
