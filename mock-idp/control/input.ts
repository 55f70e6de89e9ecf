import { invalidRequest, OAuthError } from '../oidc/oauth-error.ts'
import { FormatRegistry, type Static, type TObject, type TSchema, Type, Value } from '../typebox.ts'

/**
 * The JSON body of a control call, validated: nothing is coerced, unknown members are rejected. Each member of the schema has
 * a description that completes "must be".
 * @throws OAuthError 400 `invalid_request` that lists the accepted members, 415 for another media type
 */
export async function readInput<S extends TObject>(request: Request, schema: S): Promise<Static<S>> {
  const body = await readBody(request)
  const { properties, required = [] }: TObject = schema
  const refuse = (problem: string) => invalidRequest(`${problem} ${describe(schema)}`)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw refuse('The body is a JSON object.')
  for (const [name, value] of Object.entries(body)) {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!member) throw refuse(`Unknown member ${JSON.stringify(name)}.`)
    if (!Value.Check(member, value)) throw refuse(`${name} must be ${member.description}.`)
  }
  for (const name of required) if (!Object.hasOwn(body, name)) throw refuse(`${name} is missing.`)
  return body as Static<S>
}

async function readBody(request: Request): Promise<unknown> {
  const text = await request.text()
  if (text.trim() === '') return {}
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new OAuthError(415, 'unsupported_media_type', 'Send the body as Content-Type: application/json.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('The body is not JSON.')
  }
}

function describe({ properties, required = [] }: TObject): string {
  const members = Object.entries(properties).map(([name, { description }]) => {
    return `${name}${required.includes(name) ? '' : '?'} (${description})`
  })
  return members.length === 0 ? 'No members are accepted.' : `Accepted: ${members.join(', ')}.`
}

export const nothing = Type.Object({})

/** A whole number from `minimum` to `maximum`, both included. */
export const integer = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, description: `an integer from ${minimum} to ${maximum}` })

/** A string of at most `maxLength` characters. */
export const text = (maxLength: number, description = `a string of at most ${maxLength} characters`) =>
  Type.String({ maxLength, description })

export const boolean = Type.Boolean({ description: 'true or false' })
export const json = Type.Unknown({ description: 'any JSON' })
export const object = Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON object' })

export const oneOf = <const Text extends string>(values: readonly Text[]) =>
  Type.Union(
    values.map(value => Type.Literal(value)),
    { description: `one of ${values.join(', ')}` },
  )

export const nullable = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Null()], { description: `${schema.description}, or null` })

/** A string that `accepts` accepts. `name` is unique in the process. */
export function format(name: string, description: string, accepts: (value: string) => boolean) {
  FormatRegistry.Set(name, accepts)
  return Type.String({ format: name, description })
}

/** http or https, without credentials. */
export const httpUrl = format('mock-http-url', 'an http or https URL', value => {
  const url = value.length > 2048 ? null : URL.parse(value)
  return !!url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
})
