/**
 * The variant of the document for clients that decode strictly, such as those in Swift and Kotlin: every enum of a response
 * also takes other strings, and every problem response other problems. A release that adds values breaks no installed app.
 * Guarantee of the casts: the parts of a document of OpenAPI.
 */
import { isObject, type Json, mapSchemas, mapValues } from './json-schema.ts'

const SCHEMAS = '#/components/schemas/'
const PROBLEM = 'application/problem+json'

/** Requests stay as they are: a client sends only values that it knows. */
export function openEnums(document: Json): Json {
  // Guarantee of the casts: `generateOpenApi` made the document.
  const { paths, webhooks, components } = document as Record<'paths' | 'webhooks' | 'components', Json>
  const { responses, schemas } = components as Record<'responses' | 'schemas', Json>
  const received = mapValues(paths, item =>
    mapValues(item as Json, operation => ({
      ...(operation as Json),
      responses: openResponses((operation as { responses: Json }).responses),
    })),
  )
  const own = Object.values(paths).flatMap(item =>
    Object.values(item as Json).map(operation => (operation as { responses: Json }).responses),
  )
  const names = namesIn([own, responses, webhooks], schemas)
  return {
    ...document,
    paths: received,
    webhooks: mapSchemas(webhooks, openEnum),
    components: {
      ...components,
      responses: openResponses(responses),
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [
          name,
          names.has(name) ? mapSchemas(schema, openEnum) : schema,
        ]),
      ),
    },
  }
}

const openResponses = (responses: Json): Json =>
  mapValues(mapSchemas(responses, openEnum) as Json, response => {
    const { content, ...rest } = response as Json
    return isObject(content) ? { ...rest, content: openProblem(content) } : rest
  })

/** A problem with a code that a later release adds has the members that all problems share. */
function openProblem(content: Json): Json {
  const problem = content[PROBLEM]
  if (!isObject(problem)) return content
  const schema = { anyOf: [problem.schema, { $ref: `${SCHEMAS}Problem` }] }
  return { ...content, [PROBLEM]: { ...problem, schema } }
}

/** In the form that generators for Swift and Kotlin know as an open enum. */
function openEnum(schema: Json): Json {
  const { enum: values, type, ...annotations } = schema
  if (!Array.isArray(values)) return schema
  const known = {
    type: [type].flat().find(name => name !== 'null'),
    enum: values.filter(value => value !== null),
  }
  return { ...annotations, anyOf: [known, { type }] }
}

/** The schemas that these parts of the document refer to, also by way of other schemas. */
function namesIn(parts: unknown, schemas: Json, found = new Set<string>()): Set<string> {
  if (Array.isArray(parts)) for (const part of parts) namesIn(part, schemas, found)
  if (!isObject(parts)) return found
  const { $ref } = parts
  if (typeof $ref === 'string' && $ref.startsWith(SCHEMAS)) {
    const name = $ref.slice(SCHEMAS.length)
    if (!found.has(name)) namesIn(schemas[name], schemas, found.add(name))
  }
  for (const part of Object.values(parts)) namesIn(part, schemas, found)
  return found
}
