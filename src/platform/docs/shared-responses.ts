/** Responses that several operations have in common: written once in the document, and once in generated clients. Guarantee of the casts: the parts of a document of OpenAPI. */
import { type Json, mapValues } from './json-schema.ts'
import { codesOfResponse, nameOfCodes } from './problems.ts'
import { UNCHANGED } from './responses.ts'

/** Moves responses that are the same in several operations to `components/responses`. */
export function shareResponses(paths: Json): { paths: Json; responses: Json } {
  const count = new Map<string, number>()
  const each = (change: (response: unknown) => unknown) =>
    mapValues(paths, item =>
      mapValues(item as Json, operation => ({
        ...(operation as Json),
        responses: mapValues((operation as { responses: Json }).responses, change),
      })),
    )
  each(response => {
    const text = JSON.stringify(response)
    count.set(text, (count.get(text) ?? 0) + 1)
    return response
  })
  const responses: Json = {}
  const shared = each(response => {
    const name = nameOf(response)
    if (name === undefined || count.get(JSON.stringify(response)) === 1) return response
    if (name in responses && !Bun.deepEquals(responses[name], response)) return response
    responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  })
  return { paths: shared, responses }
}

/**
 * The name of a shared response: from the codes of a problem response, or from the description of a response without
 * content. Undefined for other responses.
 */
function nameOf(response: unknown): string | undefined {
  const codes = codesOfResponse(response)
  if (codes.length > 0) return nameOfCodes(codes)
  return (response as { description: string }).description === UNCHANGED ? 'NotModified' : undefined
}
