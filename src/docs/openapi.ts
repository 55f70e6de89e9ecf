/** The OpenAPI 3.1 document: generated from the routes by @elysiajs/swagger, then made valid and complete. */
import { type AnyElysia, Elysia } from 'elysia'
import type { Endpoints } from '../identity-provider/discovery.ts'
import { describeOperation } from './describe-operation.ts'
import { describeApi } from './description.ts'
import { type Json, mapValues, refineSchemas } from './json-schema.ts'

/** `endpoints` of the provider, or null while it does not answer. */
export async function generateOpenApi(api: AnyElysia, endpoints: Endpoints | null): Promise<Json> {
  // The generator is loaded with the first request for the document.
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

/** Swagger UI would show an empty group for a tag without operations. */
function tagsOf(paths: Json): Set<unknown> {
  const operations = Object.values(paths).flatMap(item => Object.values(item as Json))
  return new Set(operations.flatMap(operation => (operation as { tags?: unknown[] }).tags ?? []))
}
