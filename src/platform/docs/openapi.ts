/** The OpenAPI 3.1 document: generated from the routes by @elysiajs/swagger, then made valid and complete. Guarantee of the casts: the parts of a document of OpenAPI. */
import { type AnyElysia, Elysia } from 'elysia'
import type { ProblemType } from '../../core/problems.ts'
import type { Endpoints } from '../identity-provider/discovery.ts'
import { describeOperation } from './describe-operation.ts'
import { describeApi } from './description.ts'
import {
  defaultsInWords,
  integersAsInt64,
  type Json,
  mapValues,
  openObjects,
  refineSchemas,
} from './json-schema.ts'
import { openEnums } from './open-enums.ts'
import { FieldError, Problem, problemSchemas } from './problems.ts'
import { shareResponses } from './shared-responses.ts'
import { type DescribedMessage, describeWebhooks } from './webhooks.ts'

interface Deployment {
  /** Where clients reach the API; null: at the host that serves the document. */
  publicUrl: string | null
  /** Endpoints of the identity provider; null while it does not respond. */
  endpoints: Endpoints | null
  /** What is sent to endpoints of webhooks. */
  messages: DescribedMessage[]
  /** `open`: the variant of `open-enums.ts`. */
  enums?: Enums
}

export type Enums = 'closed' | 'open'

export async function generateOpenApi(
  api: AnyElysia,
  { publicUrl, endpoints, messages, enums = 'closed' }: Deployment,
): Promise<Json> {
  // The generator is loaded with the first request for the document.
  const { swagger } = await import('@elysiajs/swagger')
  const description = describeApi(endpoints)
  const generator = new Elysia({ normalize: false })
    .use(api)
    .use(swagger({ path: '/generated', excludeStaticFile: false, documentation: description as object }))
  const response = await generator.handle(new Request('http://localhost/generated/json'))
  const generated = (await response.json()) as { paths: Json }
  const schemas: Json = {}
  const problems = new Map<string, ProblemType>()
  const operations = Object.fromEntries(
    Object.entries(generated.paths)
      .filter(([path]) => !path.startsWith('/generated'))
      .map(([path, item]) => [path, mapValues(item as Json, refine)]),
  )

  function refine(operation: unknown): unknown {
    const offered = Object.keys(description.components.securitySchemes)
    const { requestBody, responses, ...rest } = describeOperation(operation as Json, offered, problems)
    const request = requestBody ? { requestBody: defaultsInWords(requestBody) } : {}
    return refineSchemas({ ...rest, ...request, responses: openObjects(responses) }, schemas)
  }
  const { paths, responses } = shareResponses(operations)
  const used = tagsOf(paths)
  const webhooks = refineSchemas(openObjects(describeWebhooks(messages)), schemas)
  const document = {
    ...generated,
    // 3.1 is JSON Schema: `null` is a type there.
    openapi: '3.1.0',
    servers: [{ url: publicUrl ?? '/', description: publicUrl ? 'This API' : 'The host of this document' }],
    tags: description.tags.filter(({ name }) => used.has(name)),
    paths,
    webhooks,
    components: {
      ...description.components,
      schemas: { Problem, FieldError, ...problemSchemas([...problems.values()]), ...schemas },
      responses,
    },
  }
  // Guarantee of the cast: schemas gain a format, nothing else changes.
  const complete = integersAsInt64(document) as Json
  return enums === 'open' ? openEnums(complete) : complete
}

/** Swagger UI would show an empty group for a tag without operations. */
function tagsOf(paths: Json): Set<unknown> {
  const operations = Object.values(paths).flatMap(item => Object.values(item as Json))
  return new Set(operations.flatMap(operation => (operation as { tags?: unknown[] }).tags ?? []))
}
