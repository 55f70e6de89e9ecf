/** What the routes of a group share: path prefix, tag, and kind of caller. */
import { Elysia } from 'elysia'
import type { PublicReads } from '../../cache/public-reads.ts'
import { type Bodies, rawBodyOf } from '../edge/body.ts'

export interface Group<Prefix extends string> {
  prefix: Prefix
  tag: string
}

/** `anyone` reads no token; `optional` reads a fan's when it is sent; `fan` requires one; `server` requires a server key; `fanOrServer` either. `staff`: of the console. */
export type CallerKind = 'anyone' | 'optional' | 'fan' | 'server' | 'fanOrServer' | 'staff'

/** Key in a route's `detail` for the kind of its group; the document omits it. */
export const CALLER_KIND = 'x-caller-kind'

/** Swagger UI's ways to authorize; see `docs/description.ts`. */
const SECURITY: Record<Exclude<CallerKind, 'server' | 'fanOrServer'>, Record<string, string[]>[]> = {
  anyone: [],
  staff: [],
  optional: [{}, { signIn: [] }, { bearer: [] }],
  fan: [{ signIn: [] }, { bearer: [] }],
}

/** The `detail` of every route of the group. */
export const describeGroup = (kind: keyof typeof SECURITY, tag: string) => ({
  tags: [tag],
  security: SECURITY[kind],
  [CALLER_KIND]: kind,
})

/** The `detail` of every route of a group that requires a server key with this scope. */
export const describeServerGroup = (tag: string, scope: string) => ({
  tags: [tag],
  security: [{ serverKey: [scope] }],
  [CALLER_KIND]: 'server',
})

/** The `detail` of every route of a group that requires the token of a fan, or a server key with this scope. */
export const describeSharedGroup = (tag: string, scope: string) => ({
  tags: [tag],
  security: [...SECURITY.fan, { serverKey: [scope] }],
  [CALLER_KIND]: 'fanOrServer',
})

/** Routes that read no token. */
export const anyone = <const Prefix extends string>({ prefix, tag }: Group<Prefix>) =>
  new Elysia({ prefix, detail: describeGroup('anyone', tag) })

/**
 * Routes of other systems, which sign their requests. `verify` gets the body as text, before it is parsed and before its
 * schema is applied, so that an unsigned request does not disclose the schema. Handlers get what it returns.
 */
export const signed = <const Prefix extends string, Verified extends Record<string, unknown>>(
  group: Group<Prefix>,
  verify: (headers: Headers, body: string) => Verified | Promise<Verified>,
) =>
  anyone(group).derive(
    { as: 'local' },
    async ({ bodies, request }: { bodies?: Bodies; request: Request }) => {
      await bodies?.receive(request)
      return verify(request.headers, rawBodyOf(request))
    },
  )

/** Routes that read no token and answer everyone alike. Handlers get `readPublic`, which may read the replica. */
export const publicReaders = <const Prefix extends string>(
  { publicReads }: { publicReads: PublicReads },
  group: Group<Prefix>,
) => anyone(group).decorate('readPublic', publicReads.read)

/**
 * Adds what authentication throws to the type of what a derive returns, so that typed clients know these responses.
 * Guarantee of the cast: a refusal is thrown, so it is never a value; only the types of clients use it.
 */
export const withRefusals =
  <Refusal>() =>
  <Derived extends Record<string, unknown>>(derived: Derived) =>
    derived as Derived | Refusal
