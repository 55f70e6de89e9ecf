/** One operation of the document, from its declaration and its group, with all responses and problems. Guarantee of the casts: the parts of a document of OpenAPI. */

import type { ProblemType } from '../../core/problems.ts'
import { isBytes } from '../../core/schemas.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import type { TSchema } from '../../core/typebox.ts'
import { CALLER_KIND, type CallerKind } from '../http/contract/group.ts'
import { COMMON_PROBLEMS, DECLARED, type Declared } from '../http/contract/operation.ts'
import { providerProblems } from '../identity-provider/problems.ts'
import { isObject, type Json } from './json-schema.ts'
import { describeProblems } from './problems.ts'
import { describeResponses } from './responses.ts'

/** `generated` by @elysiajs/swagger. A security scheme that is not offered is left out. Adds the operation's problems to `used`. */
export function describeOperation(generated: Json, offered: string[], used: Map<string, ProblemType>): Json {
  const { [DECLARED]: facts, [CALLER_KIND]: kind, requestBody, security, ...rest } = generated
  const { parameters = [], description, ...described } = rest
  // Guarantee of the casts: only `operation` and the groups write these names.
  const declared = facts as Declared
  const caller = kind as CallerKind
  const takesKey = (caller === 'fan' || caller === 'fanOrServer') && declared.mayTakeKey
  const { responses, examples, conditional, localized } = declared
  const body = schemaOf(requestBody)
  const problems = problemsOf(declared, caller, takesKey)
  for (const problem of problems) used.set(problem.code, problem)
  const headers = [
    ...(takesKey ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(conditional ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
  return {
    ...described,
    ...describeScope(description, security),
    // The page of /docs folds the other ones.
    'x-own-problems': declared.problems.map(({ code }) => code),
    security: (security as Json[]).filter(schemes =>
      Object.keys(schemes).every(name => offered.includes(name)),
    ),
    ...describeParameters([...(parameters as Json[]), ...headers]),
    ...describeBody(body, examples.body),
    responses: {
      ...describeProblems(problems),
      ...describeResponses(responses, examples, { conditional, localized, replayed: takesKey }),
    },
  }
}

/** The description, with the scope that an operation for server keys requires. */
function describeScope(description: unknown, security: unknown): Json {
  const [scope] = (security as { serverKey?: string[] }[]).flatMap(({ serverKey }) => serverKey ?? [])
  const requires = (security as Json[]).every(schemes => 'serverKey' in schemes)
    ? 'Requires the scope'
    : 'A server key requires the scope'
  const sentences = [description, ...(scope ? [`${requires} \`${scope}\`.`] : [])].filter(Boolean)
  return sentences.length > 0 ? { description: sentences.join(' ') } : {}
}

const FAN_PROBLEMS: ProblemType[] = [
  transportProblems.unauthenticated,
  transportProblems.invalid_token,
  providerProblems.identity_provider_unavailable,
]
const KEY_PROBLEMS: ProblemType[] = [
  transportProblems.invalid_server_key,
  transportProblems.insufficient_scope,
]
const TOKEN_PROBLEMS: Record<CallerKind, ProblemType[]> = {
  anyone: [],
  staff: [],
  optional: FAN_PROBLEMS,
  fan: FAN_PROBLEMS,
  server: [transportProblems.unauthenticated, ...KEY_PROBLEMS],
  fanOrServer: [...FAN_PROBLEMS, ...KEY_PROBLEMS],
}

/** Every problem that the operation can respond with. */
function problemsOf(
  { data, problems, probe, takesBody, whenSuspended, guardianConsent }: Declared,
  caller: CallerKind,
  takesKey: boolean,
): ProblemType[] {
  return [
    ...(takesBody ? COMMON_PROBLEMS.body : []),
    ...TOKEN_PROBLEMS[caller],
    ...(takesBody && whenSuspended !== 'allowed' && (caller === 'fan' || caller === 'fanOrServer')
      ? [transportProblems.suspended, transportProblems.guardian_consent_required]
      : []),
    ...(guardianConsent === 'required' ? [transportProblems.guardian_consent_required] : []),
    ...problems,
    ...(takesKey ? COMMON_PROBLEMS.key : []),
    ...COMMON_PROBLEMS[data],
    // A query string can be wrong on every path but a probe's.
    ...COMMON_PROBLEMS.every.filter(({ code }) => !probe || code !== 'validation_failed'),
  ]
}

function schemaOf(requestBody: unknown): Json | null {
  if (!isObject(requestBody)) return null
  return ((requestBody.content as Json)['application/json'] as { schema: Json }).schema
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

/** JSON only, with its example. */
function describeBody(schema: Json | null, example: unknown): Json {
  if (!schema) return {}
  if (isBytes(schema as TSchema)) return describeBytes(schema)
  // A body whose members have names of the club, such as purposes, has patterns instead.
  const isMap = schema.patternProperties !== undefined
  if (!isMap && Object.keys(schema.properties as Json).length === 0) return {}
  // No body counts as `{}`: where every member may be left out, so may the body.
  const required = Array.isArray(schema.required) && schema.required.length > 0
  const content = { schema, ...(example ? { example } : {}) }
  return { requestBody: { required, content: { 'application/json': content } } }
}

/** A picture has no example: Swagger UI offers a file. */
function describeBytes({ contentMediaTypes, description }: Json): Json {
  const schema = { type: 'string', format: 'binary' }
  // Guarantee of the cast: `Bytes` of `core/schemas.ts` writes it.
  const types = contentMediaTypes as string[]
  const content = Object.fromEntries(types.map(type => [type, { schema }]))
  return { requestBody: { required: true, description, content } }
}
