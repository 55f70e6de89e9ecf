/** Ways through the OpenAPI document, for the tests that hold it to its promises. */
import { inlineResponses } from '../../support/conformance.ts'
import type { World } from '../../support/world.ts'

export type Json = Record<string, unknown>

interface MediaType {
  schema: Json
  example?: unknown
  examples?: Record<string, { summary: string; value: unknown }>
}

interface Body {
  required?: boolean
  content?: Record<string, MediaType>
}

interface DocumentedOperation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; schema: Json; description?: string }[]
  requestBody?: Body
  responses: Record<string, Body & { description: string; headers: Json }>
}

export interface Document {
  openapi: string
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Json
  components: {
    schemas: Record<string, Json>
    parameters: Record<string, Json>
    securitySchemes: Record<string, Json>
    responses: Record<string, Body & { description: string; headers: Json }>
  }
}

export interface Located {
  /** As `GET /api/teams`. */
  name: string
  method: string
  path: string
  operation: DocumentedOperation
}

/** As it is served. */
export async function fetchDocument({ app }: Pick<World, 'app'>): Promise<Document> {
  const response = await app.handle(new Request('http://localhost/docs/json'))
  return (await response.json()) as Document
}

/** With shared responses written out in each operation. */
export const readDocument = async (world: Pick<World, 'app'>): Promise<Document> =>
  inlineResponses(await fetchDocument(world))

export function operationsOf({ paths }: Document): Located[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
}

/** Whether a fan's token is required; where `security` lists `{}`, a token is optional. */
export const isProtected = (located: Located) =>
  readsToken(located) && located.operation.security.every(schemes => Object.keys(schemes).length > 0)

/** Whether it reads a fan's token. */
export const readsToken = (located: Located) =>
  located.operation.security.length > 0 && !requiresServerKey(located)

export const requiresServerKey = ({ operation: { security } }: Located) =>
  security.length > 0 && security.every(schemes => 'serverKey' in schemes)

export interface Content {
  /** As `POST /api/rewards/claim, answer 409`. */
  name: string
  /** JSON pointer to it. */
  pointer: string
  mediaType: string
  content: MediaType
}

/** Every body of a request or an answer. */
export function contentsOf(document: Document): Content[] {
  return operationsOf(document).flatMap(({ name, method, path, operation }) => {
    const base = `/paths/${escapePointer(path)}/${method.toLowerCase()}`
    const asked = contents(operation.requestBody, `${name}, request`, `${base}/requestBody`)
    const answers = Object.entries(operation.responses).flatMap(([status, response]) =>
      contents(response, `${name}, answer ${status}`, `${base}/responses/${status}`),
    )
    return [...asked, ...answers]
  })
}

function contents(body: Body | undefined, name: string, pointer: string): Content[] {
  return Object.entries(body?.content ?? {}).map(([mediaType, content]) => ({
    name,
    pointer: `${pointer}/content/${escapePointer(mediaType)}`,
    mediaType,
    content,
  }))
}

/** A body that is a file, which has no example. */
export const isFile = ({ content }: Content) => content.schema.format === 'binary'

export const examplesOf = ({ content: { example, examples } }: Content): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples ?? {}).map(({ value }) => value),
]

/** Calls `visit` on each object of the document, with its JSON pointer. */
export function walk(value: unknown, visit: (node: Json, pointer: string) => void, pointer = ''): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Json, pointer)
  for (const [key, member] of Object.entries(value)) walk(member, visit, `${pointer}/${escapePointer(key)}`)
}

const escapePointer = (segment: string) => segment.replaceAll('~', '~0').replaceAll('/', '~1')
