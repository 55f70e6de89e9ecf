/** Cursor pagination. A cursor is a position with a MAC: a changed cursor fails with `invalid_cursor`. */

import { createHmac } from 'node:crypto'
import { type Column, type SQL, sql } from 'drizzle-orm'
import type { Reader, Tables } from '../../db/index.ts'
import { eachRow } from '../../db/keyset.ts'
import type { Subject } from './caller.ts'
import { isSameSecret } from './constant-time.ts'
import { deriveKey } from './derived-key.ts'
import { DomainError } from './problems.ts'
import type { PageQuery } from './schemas.ts'
import { transportProblems } from './transport-problems.ts'
import type { Static, TObject } from './typebox.ts'

const MAC_BYTES = 12
const DEFAULT_LIMIT = 50

export type Cursors = ReturnType<typeof createCursors>

/** `secret`: any high-entropy text that all instances share. */
export function createCursors(secret: string) {
  const key = deriveKey(secret, 'cursors')
  const mac = (list: string, position: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([list, position]))
      .digest()
      .subarray(0, MAC_BYTES)

  return {
    /** `list` identifies the list and its filters. A cursor is valid for that list only. */
    encode(list: string, position: number | string): string {
      const text = String(position)
      return Buffer.concat([mac(list, text), Buffer.from(text)]).toString('base64url')
    },
    /** As `encode`. */
    encodeTimed(list: string, { at, id }: TimedPosition): string {
      return this.encode(list, `${at.getTime()} ${id}`)
    },
    /** Undefined without a cursor. @throws DomainError `invalid_cursor` */
    decode(list: string, cursor: string | undefined): string | undefined {
      if (cursor === undefined) return undefined
      const bytes = Buffer.from(cursor, 'base64url')
      const position = bytes.subarray(MAC_BYTES).toString()
      // Base64 can encode the same bytes in several ways: only the canonical one is accepted.
      const genuine =
        bytes.length > MAC_BYTES &&
        bytes.toString('base64url') === cursor &&
        isSameSecret(bytes.subarray(0, MAC_BYTES), mac(list, position))
      if (!genuine)
        throw new DomainError(transportProblems.invalid_cursor, {
          detail: 'Pass the value of nextCursor unchanged.',
        })
      return position
    },
    /** As `decode`. */
    decodeTimed(list: string, cursor: string | undefined): TimedPosition | undefined {
      const position = this.decode(list, cursor)
      if (position === undefined) return undefined
      const [, at, id] = /^(-?\d+) (.+)$/.exec(position) ?? []
      if (at === undefined || id === undefined) throw new DomainError(transportProblems.invalid_cursor)
      return { at: new Date(Number(at)), id }
    },
  }
}

/** A position in a list that is in the order of a time and an id. */
export interface TimedPosition {
  at: Date
  id: string
}

/** The condition of the rows that come after a position, the oldest first. Undefined without a position. */
export const isAfter = (time: Column, id: Column, after: TimedPosition | undefined): SQL | undefined =>
  after && sql`(${time}, ${id}) > (${sql.param(after.at, time)}, ${after.id})`

/** Cuts `limit + 1` rows to a page: the additional row shows whether there is a next page. */
export function cutPage<Row>(rows: Row[], limit: number, cursorOf: (last: Row) => string) {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { shown, nextCursor: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}

export interface Page {
  limit: number
  cursor?: string
}

/** Parses a validated `PageQuery`. */
export function pageOf({ limit, cursor }: Static<TObject<typeof PageQuery>>): Page {
  return { limit: limit === undefined ? DEFAULT_LIMIT : Number(limit), cursor }
}

type FanTable = Tables['users' | 'nativeSessions' | 'idempotencyKeys']

/** Provider and subject of every fan with rows in the table, once each. */
export function eachFan(reader: Reader, table: FanTable): AsyncGenerator<Subject> {
  const { provider, subject } = table
  return eachRow({ provider, subject }, after =>
    reader.selectDistinct({ provider, subject }).from(table).where(after),
  )
}
