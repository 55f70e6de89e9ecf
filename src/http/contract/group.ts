/** What the routes of a group share: the path before theirs, the tag in the document, and who may call. */
import { Elysia } from 'elysia'

export interface Group<Prefix extends string> {
  /** Before the path of each of its routes. */
  prefix: Prefix
  /** In the OpenAPI document. */
  tag: string
}

/** `anyone` reads no token; `optional` reads one when it is sent; `fan` requires one. */
export type CallerKind = 'anyone' | 'optional' | 'fan'

/** Under this name a route's `detail` holds the kind of its group; the document leaves it out. */
export const CALLER_KIND = 'x-caller-kind'

/** Swagger UI's two ways to authorize; see `docs/description.ts`. */
const SECURITY: Record<CallerKind, Record<string, string[]>[]> = {
  anyone: [],
  optional: [{}, { signIn: [] }, { bearer: [] }],
  fan: [{ signIn: [] }, { bearer: [] }],
}

/** `detail` that every route of the group gets. */
export const describeGroup = (kind: CallerKind, tag: string) => ({
  tags: [tag],
  security: SECURITY[kind],
  [CALLER_KIND]: kind,
})

/** Routes that read no token. */
export const anyone = <const Prefix extends string>({ prefix, tag }: Group<Prefix>) =>
  new Elysia({ prefix, detail: describeGroup('anyone', tag) })
