/** What the routes of a group share: path prefix, tag, and kind of caller. */
import { Elysia } from 'elysia'

export interface Group<Prefix extends string> {
  /** Prefix of the path of each route. */
  prefix: Prefix
  /** Tag in the OpenAPI document. */
  tag: string
}

/** `anyone` reads no token; `optional` reads one when it is sent; `fan` requires one. */
export type CallerKind = 'anyone' | 'optional' | 'fan'

/** Key in a route's `detail` for the kind of its group; the document omits it. */
export const CALLER_KIND = 'x-caller-kind'

/** Swagger UI's two ways to authorize; see `docs/description.ts`. */
const SECURITY: Record<CallerKind, Record<string, string[]>[]> = {
  anyone: [],
  optional: [{}, { signIn: [] }, { bearer: [] }],
  fan: [{ signIn: [] }, { bearer: [] }],
}

/** The `detail` of every route of the group. */
export const describeGroup = (kind: CallerKind, tag: string) => ({
  tags: [tag],
  security: SECURITY[kind],
  [CALLER_KIND]: kind,
})

/** Routes that read no token. */
export const anyone = <const Prefix extends string>({ prefix, tag }: Group<Prefix>) =>
  new Elysia({ prefix, detail: describeGroup('anyone', tag) })
