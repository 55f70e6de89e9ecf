/** Rows of prepared statements are those of Drizzle's own mapping, members in the same order. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { asc, eq, sql } from 'drizzle-orm'
import type { SelectedFields } from 'drizzle-orm/pg-core'
import type { Reader } from '../../db/index.ts'
import { prepared } from '../../db/prepared.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'

const AT = new Date('2026-03-01T12:00:00.001Z')

/** A select, which Drizzle runs without preparing it when it is awaited. */
type Query = PromiseLike<unknown[]> & ReturnType<Parameters<typeof prepared<Reader, [], unknown[]>>[0]>

const identitiesOf = (read: Reader) => read.select().from(read.tables.identities).as('mirror')

/** Selects users with their identities, which only some have. */
function selectJoined(read: Reader, fields: SelectedFields) {
  const { users, identities } = read.tables
  return read
    .select(fields)
    .from(users)
    .leftJoin(identities, eq(identities.userId, users.id))
    .orderBy(asc(users.id))
}

const queries: [title: string, build: (read: Reader) => unknown][] = [
  [
    'all columns of a table',
    read => read.select().from(read.tables.users).orderBy(asc(read.tables.users.id)),
  ],
  [
    'a left join with and without a row',
    read => {
      const { users, identities } = read.tables
      return read
        .select()
        .from(users)
        .leftJoin(identities, eq(identities.userId, users.id))
        .orderBy(asc(users.id))
    },
  ],
  [
    'a left join of a subquery, its members among others',
    read => {
      const { users } = read.tables
      const mirror = identitiesOf(read)
      const { emailVerified, syncedAt, userId } = mirror
      return read
        .select({ before: users.createdAt, mirror: { userId, emailVerified, syncedAt }, after: users.handle })
        .from(users)
        .leftJoin(mirror, eq(userId, users.id))
        .orderBy(asc(users.id))
    },
  ],
  [
    'an object whose first member is null in a row that exists',
    read => {
      const { users, identities } = read.tables
      return selectJoined(read, { id: users.id, mirror: { name: identities.name, email: identities.email } })
    },
  ],
  [
    'an object of two tables',
    read => {
      const { users, identities } = read.tables
      return selectJoined(read, { both: { name: identities.name, handle: users.handle } })
    },
  ],
  [
    'SQL with and without a decoder, also in an object',
    read => {
      const { users } = read.tables
      return read
        .select({
          plain: sql`1 + 1`,
          decoded: sql`'7'`.mapWith(Number),
          named: sql<number>`2`.mapWith(String).as('named'),
          nothing: sql`null`.mapWith(Number),
          object: { length: sql`length(${users.id})`.mapWith(Number), id: users.id },
        })
        .from(users)
        .orderBy(asc(users.id))
    },
  ],
]

for (const engine of engines) {
  describe(`the rows of a prepared statement (${engine.name})`, () => {
    let temporary: TemporaryDatabase

    beforeAll(async () => {
      temporary = await engine.open(createClock())
      await temporary.db.write(async tx => {
        const { users, identities } = tx.tables
        const times = { createdAt: AT, updatedAt: AT }
        await tx.insert(users).values([
          { id: 'a', provider: 'p', subject: 'a', handle: 'handle_a', ...times },
          { id: 'b', provider: 'p', subject: 'b', ...times },
        ])
        await tx
          .insert(identities)
          .values({ userId: 'b', email: 'b@example.com', emailVerified: true, syncedAt: AT })
      })
    })
    afterAll(() => temporary.remove())

    test.each(queries)('are those of Drizzle: %s', async (_title, build) => {
      const { read } = temporary.db
      // Guarantee of the casts: each entry builds a select.
      const expected = await (build(read) as Query)
      const rows = await prepared((reader: Reader) => build(reader) as Query)(read)
      expect(expected).not.toBeEmpty()
      expect(rows).toEqual(expected)
      expect(JSON.stringify(rows)).toBe(JSON.stringify(expected))
    })
  })
}
