/** The OpenAPI document is valid, complete and true to the routes. */

import { beforeAll, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { createApp } from '../../../src/app/app.ts'
import { problemTypes } from '../../../src/app/problem-types.ts'
import { isServerScope } from '../../../src/identity/server-keys/scopes.ts'
import { declaredOf } from '../../../src/platform/http/contract/operation.ts'
import { createIdentityProvider } from '../../../src/platform/identity-provider/provider.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'
import {
  contentsOf,
  type Document,
  examplesOf,
  isFile,
  isProtected,
  type Json,
  type Located,
  operationsOf,
  readDocument,
  readsToken,
  requiresServerKey,
  walk,
} from './document.ts'

onEngine(sqliteEngine, 'the OpenAPI document', world => {
  let document: Document
  let validator: ReturnType<typeof createValidator>
  beforeAll(async () => {
    document = await readDocument(world)
    validator = createValidator(document)
  })

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...document })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(document.openapi).toStartWith('3.1.')
  })

  test('lists every route of the application that is an operation, and no other', () => {
    const routes = world.app.routes
      .filter(route => declaredOf(route))
      .map(({ method, path }) => `${method} ${path.replace(/:([^/]+)/g, '{$1}')}`)
    expect(
      operationsOf(document)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(routes.sort())
  })

  test('names every operation once and says what it does', () => {
    const operations = operationsOf(document)
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids).toEqual([...new Set(ids)])
    for (const { name, operation } of operations) {
      expect(operation.operationId, name).toMatch(/^[a-z][A-Za-z]+$/)
      expect(operation.summary, name).toMatch(/^[A-Z].{5,}/)
      expect(operation.description, name).toMatch(/^[A-Z].{5,}/)
    }
  })

  test('sorts every operation under one described tag', () => {
    const declared = document.tags.map(tag => tag.name)
    expect(declared[0]).toBe('User')
    for (const { name, operation } of operationsOf(document)) {
      expect(operation.tags, name).toHaveLength(1)
      expect(declared, name).toContain(operation.tags[0] ?? '')
    }
    for (const { name, description } of document.tags) expect(description, name).toMatch(/.{10,}/)
    const used = operationsOf(document).flatMap(({ operation }) => operation.tags)
    expect(new Set(declared)).toEqual(new Set(used))
  })

  test('lists the parameters of the query and those of the header', () => {
    const names = (path: string) => {
      const operation = document.paths[path]?.get as { parameters?: Record<string, string>[] } | undefined
      return operation?.parameters?.map(({ name, $ref }) => name ?? $ref?.split('/').at(-1))
    }
    const board = ['kind', 'season', 'period', 'of', 'around', 'among']
    expect(names('/api/leaderboard')).toEqual(['limit', 'cursor', ...board, 'IfNoneMatch'])
    expect(names('/api/packs')).toEqual(['lang', 'IfNoneMatch'])
  })

  test('declares both security schemes for operations that need a token, and for no others', () => {
    const both = [{ signIn: [] }, { bearer: [] }]
    for (const located of operationsOf(document).filter(operation => !requiresServerKey(operation))) {
      const expected = isProtected(located) ? both : readsToken(located) ? [{}, ...both] : []
      const ofFans = located.operation.security.filter(schemes => !('serverKey' in schemes))
      expect(ofFans, located.name).toEqual(expected)
      expect(codesOf(located, 401).includes('invalid_token'), located.name).toBe(readsToken(located))
      expect(codesOf(located, 401).includes('unauthenticated'), located.name).toBe(readsToken(located))
    }
    expect(Object.keys(document.components.securitySchemes)).toEqual(['signIn', 'bearer', 'serverKey'])
  })

  test('declares the security scheme of server keys, with the scope, for operations that need one', () => {
    for (const located of operationsOf(document).filter(requiresServerKey)) {
      const { name, operation } = located
      const scopes = operation.security.flatMap(({ serverKey }) => serverKey ?? [])
      expect(operation.security, name).toEqual([{ serverKey: scopes }])
      expect(scopes.filter(isServerScope), name).toHaveLength(1)
      expect(operation.description, name).toEndWith(`Requires the scope \`${scopes[0]}\`.`)
      expect(codesOf(located, 401), name).toEqual(['unauthenticated', 'invalid_server_key'])
      expect(codesOf(located, 403), name).toEqual(['insufficient_scope'])
      for (const status of [401, 403])
        expect(Object.keys(operation.responses[status]?.headers ?? {}), name).toContain('WWW-Authenticate')
    }
  })

  test('accepts and returns a file where the operation says so, as each of its media types', () => {
    const files = contentsOf(document).filter(isFile)
    expect(files.map(({ name, mediaType }) => `${name}: ${mediaType}`)).toEqual([
      'POST /api/uploads, request: image/jpeg',
      'POST /api/uploads, request: image/png',
      'POST /api/uploads, request: image/webp',
      'GET /api/user/orders/{orderId}/receipt, answer 200: text/html',
    ])
  })

  test('accepts and returns JSON, and returns every error as a problem document', () => {
    for (const { name, mediaType } of contentsOf(document).filter(content => !isFile(content))) {
      const isProblem = /answer [45]/.test(name) && !name.startsWith('GET /readyz, answer 503')
      const expected = name === 'GET /api/stream, answer 200' ? 'text/event-stream' : 'application/json'
      expect(mediaType, name).toBe(isProblem ? 'application/problem+json' : expected)
    }
    expect(JSON.stringify(document)).not.toMatch(/multipart|form-data|urlencoded|text\/plain/)
  })

  test('describes every status that any operation may answer', () => {
    for (const { name, operation } of operationsOf(document)) {
      const statuses = Object.keys(operation.responses)
      expect(statuses, name).toEqual(expect.arrayContaining(['400', '500']))
      // Probes may send any query.
      expect([name, statuses.includes('422')]).toEqual([name, !/ \/(healthz|readyz)$/.test(name)])
      expect(
        statuses.some(status => status.startsWith('2')),
        name,
      ).toBe(true)
      if (operation.requestBody) expect(statuses, name).toEqual(expect.arrayContaining(['413', '415']))
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description, `${name} ${status}`).not.toBe('')
        expect(Object.keys(response.headers), `${name} ${status}`).toContain('X-Request-Id')
      }
    }
  })

  test('lists the codes of a problem under the status of its problem type', () => {
    for (const { name, mediaType, content } of contentsOf(document)) {
      if (mediaType !== 'application/problem+json') continue
      const codes = codesOfSchema(document, content.schema)
      expect(Object.keys(content.examples ?? {}), name).toEqual(codes)
      for (const code of codes) {
        const { status } = problemTypes[code as keyof typeof problemTypes]
        expect(name).toEndWith(`answer ${status}`)
      }
    }
  })

  test('gives every body an example, and every example holds to its schema', () => {
    for (const content of contentsOf(document).filter(content => !isFile(content))) {
      const examples = examplesOf(content)
      expect(examples, content.name).not.toBeEmpty()
      for (const example of examples)
        expect(validator(`${content.pointer}/schema`, content.content.schema, example), content.name).toEqual(
          [],
        )
    }
  })

  test('gives members only valid examples', () => {
    let found = 0
    walk(document.components.schemas, (schema, pointer) => {
      if (!Array.isArray(schema.examples)) return
      found++
      for (const example of schema.examples)
        expect(validator(`/components/schemas${pointer}`, schema, example), pointer).toEqual([])
    })
    expect(found).toBeGreaterThan(5)
  })

  test('resolves every reference', () => {
    const resolve = (ref: string) =>
      ref
        .slice(2)
        .split('/')
        .reduce<unknown>((node, segment) => (node as Json | undefined)?.[segment], document)
    let references = 0
    walk(document, ({ $ref }, pointer) => {
      if (typeof $ref !== 'string') return
      references++
      expect($ref, pointer).toStartWith('#/')
      expect(resolve($ref), `${$ref} at ${pointer}`).toBeObject()
    })
    expect(references).toBeGreaterThan(50)
  })

  test('omits what only internal checks read', () => {
    expect(JSON.stringify(document)).not.toMatch(/errorNoun|documentedAs|x-body-example|x-idempotency-key/)
  })

  test('describes the limit of a page as a number', () => {
    const { parameters } = document.paths['/api/user/points']?.get ?? {}
    const limit = parameters?.find(({ name }) => name === 'limit')
    expect(limit).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Maximum number of items, 1 to 100.',
      schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 100, default: 50, examples: [20] },
    } as unknown as typeof limit)
  })

  test('offers no sign-in while the provider is unavailable, and offers it once it is available', async () => {
    let isAway = true
    const identity = createIdentityProvider({
      ...world.config.identity,
      now: world.deps.now,
      elapsed: world.deps.elapsed,
      log: world.deps.log,
      fetch: request => (isAway ? Promise.reject(new TypeError('fetch failed')) : world.idp.handle(request)),
    })
    const app = createApp({ ...world.deps, identity })

    const alone = await readDocument({ app })
    expect(Object.keys(alone.components.securitySchemes)).toEqual(['bearer', 'serverKey'])
    expect(alone.paths['/api/rewards']?.get?.security).toEqual([{ bearer: [] }])
    expect((await new Validator().validate({ ...alone })).errors).toBeUndefined()

    isAway = false
    expect(await readDocument({ app })).toEqual(document)
  })
})

/** The codes of a problem's schema: one, or a union that a generated client narrows by `code`. */
function codesOfSchema({ components }: Document, schema: Json): string[] {
  const { oneOf = [schema], discriminator } = schema as {
    oneOf?: Json[]
    discriminator?: { propertyName: string; mapping: Record<string, string> }
  }
  const codes = oneOf.map(({ $ref }) => {
    const { properties } = components.schemas[String($ref).split('/').at(-1) ?? ''] ?? {}
    return (properties as { code: { const: string } }).code.const
  })
  if (oneOf.length > 1) {
    expect(discriminator?.propertyName).toBe('code')
    expect(discriminator?.mapping).toEqual(
      Object.fromEntries(codes.map((code, n) => [code, String(oneOf[n]?.$ref)])),
    )
  }
  return codes
}

/** The codes that an operation may refuse with under a status. */
function codesOf({ operation }: Located, status: number): string[] {
  return Object.keys(operation.responses[status]?.content?.['application/problem+json']?.examples ?? {})
}

/** Answers what is wrong with a value by the schema at a pointer. Unknown keywords and formats throw. */
function createValidator(document: Document): (pointer: string, schema: Json, value: unknown) => unknown[] {
  const ajv = new Ajv2020({ strictSchema: true, allErrors: true })
  addFormats(ajv)
  // OpenAPI's own; `oneOf` alone decides what holds.
  ajv.addVocabulary([...Object.keys(document), 'discriminator'])
  ajv.addSchema({ $id: 'http://localhost/openapi', ...document })
  // Most schemas are at many places. Their references are those of the document, so that each is compiled once.
  const compiled = new Map<string, ValidateFunction>()
  return (pointer, schema, value) => {
    const validate = compiled.getOrInsertComputed(JSON.stringify(schema), () =>
      ajv.compile({ $ref: `http://localhost/openapi#${encodeURI(pointer)}` }),
    )
    return validate(value) ? [] : (validate.errors ?? [])
  }
}
