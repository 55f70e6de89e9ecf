/** Holds an answer to the OpenAPI document: its status is documented, its media type and body are as described. */
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { pino } from 'pino'
import { createApp } from '../../src/app/app.ts'
import type { Deps } from '../../src/app/deps.ts'
import { problemTypes } from '../../src/app/problem-types.ts'

type Json = Record<string, unknown>

interface Response {
  content?: Record<string, unknown>
}

interface Operation {
  responses: Record<string, Response>
}

export interface OpenApiDocument {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; responses: Record<string, Response> }
}

interface Exchange {
  method: string
  path: string
  status: number
  mediaType: string | null
  body: unknown
}

const pointerOf = (segment: string) => segment.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns what is wrong with an exchange; null when nothing is. */
export type Conformance = (exchange: Exchange) => string | null

const byOperations = new Map<string, Promise<Conformance>>()

interface Routed {
  routes: { method: string; path: string }[]
}

/**
 * The conformance to the document of an application with these dependencies. Of the configuration, the operations and the
 * settings of the document decide what it describes. To generate it takes longer than most tests.
 */
export async function conformanceOf(deps: Deps, { routes }: Routed): Promise<Conformance> {
  // As a request for the document: afterwards the endpoints of a provider that answers are known.
  await deps.identity.endpoints()
  const operations = routes.map(({ method, path }) => `${method} ${path}`)
  const key = JSON.stringify([deps.config.docs, operations])
  const made = byOperations.get(key) ?? readDocument(deps).then(createConformance)
  byOperations.set(key, made)
  return made
}

/** By an application of its own, so that the one under test logs and caches the same whether it is the first or not. */
async function readDocument(deps: Deps): Promise<OpenApiDocument> {
  const app = createApp({ ...deps, log: pino({ level: 'silent' }) })
  const response = await app.handle(new Request('http://localhost/docs/json'))
  return (await response.json()) as OpenApiDocument
}

/** Writes shared responses out where they are referred to. */
export function inlineResponses<Document extends OpenApiDocument>(document: Document): Document {
  const copy = structuredClone(document)
  for (const operation of Object.values(copy.paths).flatMap(item => Object.values(item))) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const name = (response as { $ref?: string }).$ref?.split('/').at(-1)
      if (name !== undefined) operation.responses[status] = copy.components.responses[name] ?? {}
    }
  }
  return copy
}

/** The document leaves responses open, for members to come; a member that nobody declared must not slip into ours. */
function closeObjects(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.values(value).forEach(closeObjects)
  const schema = value as Json
  if (schema.type !== 'object' || !('properties' in schema) || 'additionalProperties' in schema) return
  schema['allOf' in schema ? 'unevaluatedProperties' : 'additionalProperties'] = false
}

function closed(document: OpenApiDocument): OpenApiDocument {
  const copy = inlineResponses(document)
  const { Problem, ...schemas } = copy.components.schemas
  // The schema of each code builds on `Problem`, and is closed with the members of both.
  closeObjects([schemas, copy.components.responses, copy.paths, Problem?.properties])
  return copy
}

export function createConformance(open: OpenApiDocument): Conformance {
  const document = closed(open)
  // Each schema is compiled once, as it is: most are used a few times, and compiling takes most of the time of a first use.
  const quick = { inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...quick })
  addFormats(ajv)
  ajv.addSchema({ $id: 'http://localhost/openapi', ...document })
  const compiled = new Map<string, ValidateFunction>()

  return ({ method, path, status, mediaType, body }) => {
    const template = templateOf(document, path)
    const name = method.toLowerCase()
    const operation = template ? document.paths[template]?.[name] : undefined
    // What a path takes: HTTP's own question, answered for every path that the document has.
    if (template && method === 'OPTIONS' && status === 204) return body === undefined ? null : 'a body'
    if (!template || !operation) return undocumented(status, body)
    const response = operation.responses[status]
    if (!response) return `status ${status} is not documented`
    if (!response.content) return body === undefined ? null : 'a body is not documented'
    if (!mediaType || !(mediaType in response.content)) return `media type ${mediaType} is not documented`
    const pointer = `/paths/${pointerOf(template)}/${name}/responses/${status}/content/${pointerOf(mediaType)}/schema`
    const validate =
      compiled.get(pointer) ?? ajv.compile({ $ref: `http://localhost/openapi#${encodeURI(pointer)}` })
    compiled.set(pointer, validate)
    return validate(body) ? null : ajv.errorsText(validate.errors)
  }
}

/** A path of its own comes before one with parameters, as in the router. */
function templateOf({ paths }: OpenApiDocument, path: string): string | undefined {
  return path in paths ? path : Object.keys(paths).find(candidate => matches(candidate, path))
}

/** A response outside of all operations must still be a known problem. */
function undocumented(status: number, body: unknown): string | null {
  const code = (body as { code?: unknown } | null)?.code
  const known = typeof code === 'string' && code in problemTypes
  return known && [400, 404, 405, 422, 429].includes(status) ? null : `undocumented path answered ${status}`
}

const patterns = new Map<string, RegExp>()

function matches(template: string, path: string): boolean {
  const pattern = patterns.getOrInsertComputed(
    template,
    () => new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  )
  return pattern.test(path)
}
