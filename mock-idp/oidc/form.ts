import { invalidRequest } from './oauth-error.ts'

/** The parameters of an OAuth request by name. */
export type Parameters = ReadonlyMap<string, string>

/**
 * The parameters of a query or form; empty ones count as absent (RFC 6749 §3.1).
 * @throws OAuthError 400 `invalid_request` when a parameter is repeated
 */
export function readParameters(source: URLSearchParams): Parameters {
  const parameters = new Map<string, string>()
  for (const [name, value] of source) {
    if (parameters.has(name)) throw invalidRequest(`The parameter ${name} was sent more than once.`)
    parameters.set(name, value)
  }
  for (const [name, value] of parameters) if (value === '') parameters.delete(name)
  return parameters
}

/**
 * The parameters of a form body.
 * @throws OAuthError 400 `invalid_request` for a media type other than application/x-www-form-urlencoded
 */
export async function readForm(request: Request): Promise<Parameters> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw invalidRequest('Send the parameters as application/x-www-form-urlencoded.')
  return readParameters(new URLSearchParams(await request.text()))
}

/** @throws OAuthError 400 `invalid_request` when the parameter is absent */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw invalidRequest(`The parameter ${name} is missing.`)
  return value
}
