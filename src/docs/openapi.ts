/** The OpenAPI 3.1 document: generated from the routes by @elysiajs/swagger, then made valid and complete. */
import { type AnyElysia, Elysia } from 'elysia'
import type { Endpoints } from '../identity-provider/discovery.ts'
import { describeApi } from './description.ts'
import { isObject, type Json, mapValues, refineSchemas } from './json-schema.ts'

/** `endpoints` of the provider, or null while it does not answer. */
export async function generateOpenApi(api: AnyElysia, endpoints: Endpoints | null): Promise<Json> {
  // Only who asks for the document waits for its generator to load.
  const { swagger } = await import('@elysiajs/swagger')
  const description = describeApi(endpoints)
  const generator = new Elysia({ normalize: false })
    .use(api)
    .use(swagger({ path: '/generated', excludeStaticFile: false, documentation: description as object }))
  const response = await generator.handle(new Request('http://localhost/generated/json'))
  const generated = (await response.json()) as { paths: Json }
  const schemas: Json = { ...description.components.schemas }
  const paths = Object.fromEntries(
    Object.entries(generated.paths)
      .filter(([path]) => !path.startsWith('/generated'))
      .map(([path, item]) => [path, mapValues(item as Json, refine)]),
  )

  function refine(operation: unknown): unknown {
    const complete = describeOperation(operation as Json, Object.keys(description.components.securitySchemes))
    return refineSchemas(complete, schemas)
  }
  const used = tagsOf(paths)
  return {
    ...generated,
    // 3.1 is JSON Schema: `null` is a type there, and `if`/`then` are keywords.
    openapi: '3.1.0',
    tags: description.tags.filter(({ name }) => used.has(name)),
    paths,
    components: { ...description.components, schemas },
  }
}

/** Swagger UI would draw a group of nothing for a tag that no operation has. */
function tagsOf(paths: Json): Set<unknown> {
  const operations = Object.values(paths).flatMap(item => Object.values(item as Json))
  return new Set(operations.flatMap(operation => (operation as { tags?: unknown[] }).tags ?? []))
}

/** JSON bodies only, each with its example; a security scheme that is not offered is not asked for. */
function describeOperation(operation: Json, offered: string[]): Json {
  const { 'x-body-example': example, requestBody, security, ...rest } = operation
  const { parameters = [], 'x-request-headers': headers = [], ...described } = rest
  const alternatives = security as Json[]
  return {
    ...described,
    security: alternatives.filter(schemes => Object.keys(schemes).every(name => offered.includes(name))),
    ...describeParameters([...(parameters as Json[]), ...(headers as Json[])]),
    ...describeBody(requestBody, example),
  }
}

/** The generator writes JSON Schema's `examples`, a list, where OpenAPI has a map of that name. */
function describeParameters(parameters: Json[]): Json {
  if (parameters.length === 0) return {}
  return {
    parameters: parameters.map(({ examples, schema, ...parameter }) => ({
      ...parameter,
      ...(schema ? { schema: { ...(schema as Json), ...(examples ? { examples } : {}) } } : {}),
    })),
  }
}

function describeBody(requestBody: unknown, example: unknown): Json {
  if (!isObject(requestBody)) return {}
  const { schema } = (requestBody.content as Json)['application/json'] as { schema: Json }
  if (Object.keys(schema.properties as Json).length === 0) return {}
  // No body counts as `{}`: where every member may be left out, so may the body.
  const required = Array.isArray(schema.required) && schema.required.length > 0
  const content = { schema, ...(example ? { example } : {}) }
  return { requestBody: { required, content: { 'application/json': content } } }
}
