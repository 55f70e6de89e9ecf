/** What a request is made of, from the generated types and facts of its operation. Also of the client of the console's pages. */

/** A file as the platforms have it: of an input of a page, of a picker, or read from disk. */
type FileBytes = Blob | ArrayBuffer | Uint8Array

/** Flat, for editors. A member that is left out may also be given as undefined: the client sends neither. */
type Given<T> = unknown extends T
  ? T
  : T extends readonly unknown[] | string | number | boolean | null | undefined | FileBytes
    ? T
    : {
        [Name in keyof T]: Record<never, never> extends Pick<T, Name>
          ? Given<T[Name]> | undefined
          : Given<T[Name]>
      }

type Parameters<Operation, Place extends 'path' | 'query'> = Operation extends {
  parameters: Record<Place, infer Members>
}
  ? Members
  : Operation extends { parameters: { [Name in Place]?: infer Members } }
    ? [NonNullable<Members>] extends [never]
      ? unknown
      : Partial<NonNullable<Members>>
    : unknown

type Body<Operation> = Operation extends {
  requestBody: { content: { 'application/json': infer Members } }
}
  ? Members
  : Operation extends { requestBody: { content: object } }
    ? { file: FileBytes }
    : Operation extends { requestBody?: { content: { 'application/json': infer Members } } }
      ? Members
      : unknown

/** The members of path, query and body of an operation in one object. */
export type InputOf<Operation> = Given<
  Parameters<Operation, 'path'> & Parameters<Operation, 'query'> & Body<Operation> & Record<never, never>
>

type ContentOf<Response> = Response extends { content: { 'application/json': infer Content } }
  ? Content
  : undefined

/** The response of a success; undefined where the API responds with 204. */
export type DataOf<Operation extends { responses: object }> = ContentOf<
  Operation['responses'][keyof Operation['responses']]
>

/** An entry in the generated table of operations. */
export interface RequestFacts {
  method: string
  path: string
  /** Takes JSON. */
  body?: true
  /** Takes the bytes of a file. */
  file?: true
  /** Members of the query, of an operation with a body. */
  query?: readonly string[]
}

export interface FilledRequest {
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string>
  body?: string | FileBytes
}

/**
 * Puts the members of the input into path, query and body.
 * @throws URIError for half of a surrogate pair in path or query; TypeError for a BigInt in the body
 */
export function fillRequest({ method, path, ...facts }: RequestFacts, input: object): FilledRequest {
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined))
  const filled = path.replace(/\{(\w{1,40})\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  if (facts.file) {
    // Guarantee of the cast: the types of the operation. The API reads the format from the bytes.
    const { file } = input as { file: FileBytes }
    return { method, path: filled, headers: { 'content-type': 'application/octet-stream' }, body: file }
  }
  if (!facts.body) return { method, path: filled + queryOf(rest), headers: {} }
  const query = new Map<string, unknown>()
  for (const name of facts.query ?? []) {
    if (rest.has(name)) query.set(name, rest.get(name))
    rest.delete(name)
  }
  const body = JSON.stringify(Object.fromEntries(rest))
  return { method, path: filled + queryOf(query), headers: { 'content-type': 'application/json' }, body }
}

/** Without `URLSearchParams`, which is incomplete in React Native. */
function queryOf(members: Map<string, unknown>): string {
  const pairs = [...members].map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
