import { OAuthError } from '../oidc/oauth-error.ts'

/** A member of a control call's body. */
export interface Field<T> {
  /** Describes the accepted values in error messages. */
  expects: string
  required?: boolean
  accepts(value: unknown): value is T
}

type Shape = Record<string, Field<unknown>>
type ValueOf<F> = F extends Field<infer T> ? T : never
type RequiredNames<S extends Shape> = { [N in keyof S]: S[N] extends { required: true } ? N : never }[keyof S]
/** The type of an accepted body of a shape. */
export type Input<S extends Shape> = { [N in RequiredNames<S>]: ValueOf<S[N]> } & {
  [N in keyof S]?: ValueOf<S[N]>
}

/**
 * The JSON body of a control call, validated against a shape: nothing is coerced, unknown members are rejected.
 * @throws OAuthError 400 `invalid_request` that lists the accepted members, 415 for another media type
 */
export async function readInput<S extends Shape>(request: Request, shape: S): Promise<Input<S>> {
  const body = await readBody(request)
  const accepted = describe(shape)
  const refuse = (problem: string) => new OAuthError(400, 'invalid_request', `${problem} ${accepted}`)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw refuse('The body is a JSON object.')
  for (const [name, value] of Object.entries(body)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (!field) throw refuse(`Unknown member ${JSON.stringify(name)}.`)
    if (!field.accepts(value)) throw refuse(`${name} must be ${field.expects}.`)
  }
  for (const [name, field] of Object.entries(shape)) {
    if (field.required && !Object.hasOwn(body, name)) throw refuse(`${name} is missing.`)
  }
  return body as Input<S>
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
    throw new OAuthError(400, 'invalid_request', 'The body is not JSON.')
  }
}

function describe(shape: Shape): string {
  const members = Object.entries(shape).map(([name, { expects, required }]) => {
    return `${name}${required ? '' : '?'} (${expects})`
  })
  return members.length === 0 ? 'No members are accepted.' : `Accepted: ${members.join(', ')}.`
}

/** A whole number from `min` to `max`, both included. */
export function integer(min: number, max: number): Field<number> {
  return {
    expects: `an integer from ${min} to ${max}`,
    accepts: (value): value is number =>
      Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  }
}

/** A string of at most `maxLength` characters that matches the pattern, if one is given. */
export function text(maxLength: number, form?: { pattern: RegExp; expects: string }): Field<string> {
  return {
    expects: form?.expects ?? `a string of at most ${maxLength} characters`,
    accepts: (value): value is string => {
      return typeof value === 'string' && value.length <= maxLength && (form?.pattern.test(value) ?? true)
    },
  }
}

export const boolean: Field<boolean> = {
  expects: 'true or false',
  accepts: (value): value is boolean => typeof value === 'boolean',
}

export const json: Field<unknown> = {
  expects: 'any JSON',
  accepts: (value): value is unknown => value !== undefined,
}

export const object: Field<Record<string, unknown>> = {
  expects: 'a JSON object',
  accepts: (value): value is Record<string, unknown> => {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  },
}

export function oneOf<const T extends string>(values: readonly T[]): Field<T> {
  return {
    expects: `one of ${values.join(', ')}`,
    accepts: (value): value is T => values.includes(value as T),
  }
}

export function nullable<T>({ expects, accepts }: Field<T>): Field<T | null> {
  return {
    expects: `${expects}, or null`,
    accepts: (value): value is T | null => value === null || accepts(value),
  }
}

export function required<T>(field: Field<T>): Field<T> & { required: true } {
  return { ...field, required: true }
}

/** http or https, without credentials. */
export const httpUrl: Field<string> = {
  expects: 'an http or https URL',
  accepts: (value): value is string => {
    if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return false
    const { protocol, username, password } = new URL(value)
    return /^https?:$/.test(protocol) && username === '' && password === ''
  },
}
