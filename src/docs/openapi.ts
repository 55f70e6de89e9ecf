/** The OpenAPI 3.1 document: generated from the routes by @elysiajs/swagger, then made valid and complete. */
import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import type { Endpoints } from '../identity/discovery.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `endpoints` of the provider put its sign-in behind Authorize; without them a pasted token remains. */
export async function generateOpenApi(api: AnyElysia, endpoints: Endpoints | null): Promise<Json> {
  const generator = new Elysia({ normalize: false }).use(api).use(
    swagger({
      path: '/generated',
      excludeStaticFile: false,
      documentation: documentation(endpoints) as object,
    }),
  )
  const response = await generator.handle(new Request('http://localhost/generated/json'))
  const document = (await response.json()) as Json
  const schemas = (document.components as Json).schemas as Json
  const paths = Object.entries(document.paths as Json).filter(([path]) => !path.startsWith('/generated'))
  return {
    ...document,
    // 3.1 is JSON Schema: `null` is a type there, and `if`/`then` are keywords.
    openapi: '3.1.0',
    paths: hoist(describeBodies(Object.fromEntries(paths)), schemas),
    components: { ...(document.components as Json), schemas },
  }
}

function documentation(endpoints: Endpoints | null) {
  const canSignIn = endpoints?.authorization && endpoints.token
  return {
    info: {
      title: 'Matchday',
      version: '0.1.0',
      description: [
        'The open backend for sports-fan apps.',
        'Press **Authorize**, then *signIn* to pick a fan at the identity provider, or paste a token into *bearer* (`bun run token` prints one).',
        'Errors are problem documents (RFC 9457): branch on `code`, show `detail`.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'User', description: 'The caller’s profile, onboarding and identity.' },
      { name: 'Points', description: 'The append-only points ledger.' },
      { name: 'Rewards', description: 'A catalogue to unlock, claim and redeem.' },
      { name: 'Teams', description: 'The clubs that a fan can follow.' },
      { name: 'Operations', description: 'For load balancers and operators.' },
    ],
    components: {
      schemas: { Problem },
      headers: {
        RequestId: { description: 'Names the request in our logs.', schema: { type: 'string' } },
        WWWAuthenticate: { description: 'RFC 6750 §3.', schema: { type: 'string' } },
        RetryAfter: { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } },
        Allow: { description: 'The methods of the path.', schema: { type: 'string' } },
      },
      securitySchemes: {
        ...(canSignIn
          ? {
              signIn: {
                type: 'oauth2',
                description: 'Sign in at the identity provider: authorization code with PKCE.',
                flows: {
                  authorizationCode: {
                    authorizationUrl: endpoints.authorization,
                    tokenUrl: endpoints.token,
                    scopes: { openid: 'Who you are', profile: 'Name and picture', email: 'Email address' },
                  },
                },
              },
            }
          : {}),
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A session token of the identity provider.',
        },
      },
    },
  }
}

const Problem = {
  type: 'object',
  description: 'RFC 9457. Further members depend on `code`.',
  required: ['type', 'title', 'status', 'code', 'detail', 'requestId'],
  properties: {
    type: { type: 'string', description: '`urn:matchday:problem:` and the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', description: 'Stable: branch on it.' },
    detail: { type: 'string' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          pointer: { type: 'string', description: 'RFC 6901, into the body.' },
          parameter: { type: 'string' },
          header: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
}

/** JSON bodies only, each with its example; a security scheme that is not offered is not asked for. */
function describeBodies(paths: Json): Json {
  return mapOperations(paths, ({ 'x-body-example': example, ...operation }) => {
    const body = operation.requestBody as { required: boolean; content: Json } | undefined
    if (!body) return operation
    const json = body.content['application/json'] as { schema: { properties: Json } } & Json
    if (Object.keys(json.schema.properties).length === 0) return { ...operation, requestBody: undefined }
    return {
      ...operation,
      requestBody: {
        required: true,
        content: { 'application/json': { ...json, ...(example ? { example } : {}) } },
      },
    }
  })
}

function mapOperations(paths: Json, change: (operation: Json) => Json): Json {
  const mapItem = (item: unknown) =>
    Object.fromEntries(
      Object.entries(item as Json).map(([method, operation]) => [method, change(operation as Json)]),
    )
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, mapItem(item)]))
}

/** Titled schemas move to components; what our own checks added to a schema leaves the document. */
function hoist<T>(value: T, schemas: Json): T {
  if (Array.isArray(value)) return value.map(item => hoist(item, schemas)) as T
  if (!isObject(value)) return value
  if (isObject(value.documentedAs)) return { ...value.documentedAs } as T
  const { errorNoun: _, ...schema } = value
  const hoisted = Object.fromEntries(
    Object.entries(schema).map(([key, member]) => [key, hoist(member, schemas)]),
  )
  const isNamedSchema = typeof schema.title === 'string' && schema.type === 'object'
  if (!isNamedSchema) return hoisted as T
  const name = schema.title as string
  schemas[name] = hoisted
  return { $ref: `#/components/schemas/${name}` } as T
}
