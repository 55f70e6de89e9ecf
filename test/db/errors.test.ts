/** Classification of driver errors: the violated unique index, and faults of the database itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DatabaseError, isUniqueViolation, type Transaction, translateDatabaseError } from '../../db/index.ts'
import { createClock } from '../support/clock.ts'
import { engines, type TemporaryDatabase } from '../support/engines.ts'

const HANDLE = 'users_handle_unique'
const SUBJECT = 'users_provider_subject_unique'
const CODE = 'user_rewards_redemption_code_unique'

for (const engine of engines) {
  describe(`isUniqueViolation (${engine.name})`, () => {
    const clock = createClock()
    let temporary: TemporaryDatabase

    beforeAll(async () => {
      temporary = await engine.open(clock)
      await temporary.db.write(async tx => {
        const at = clock.now()
        const user = { provider: 'p', createdAt: at, updatedAt: at }
        await tx.insert(tx.tables.users).values([
          { ...user, id: 'u1', subject: 's1', handle: 'first' },
          { ...user, id: 'u2', subject: 's2' },
        ])
        const texts = { title: 't', description: 'd', itemType: 'i', pointsRequired: 0, active: true }
        await tx.insert(tx.tables.rewards).values({ ...texts, id: 'r1', createdAt: at, updatedAt: at })
        const claim = { rewardId: 'r1', claimedAt: at, redeemedAt: at }
        await tx.insert(tx.tables.userRewards).values({ ...claim, userId: 'u1', redemptionCode: 'code' })
      })
    })
    afterAll(() => temporary.remove())

    /** The unique index that the refused write violates. */
    async function refusedBy(work: (tx: Transaction) => Promise<unknown>) {
      const error = await temporary.db.write(work).then(
        () => {
          throw new Error('it was written')
        },
        (thrown: unknown) => thrown,
      )
      return [HANDLE, SUBJECT, CODE].filter(index => isUniqueViolation(error, index))
    }

    const insertUser = (tx: Transaction, fields: { id: string; subject: string; handle?: string }) =>
      tx
        .insert(tx.tables.users)
        .values({ provider: 'p', createdAt: clock.now(), updatedAt: clock.now(), ...fields })

    test('recognizes an index of one column', async () => {
      expect(await refusedBy(tx => insertUser(tx, { id: 'u3', subject: 's3', handle: 'first' }))).toEqual([
        HANDLE,
      ])
    })

    test('recognizes an index of several columns', async () => {
      expect(await refusedBy(tx => insertUser(tx, { id: 'u3', subject: 's1' }))).toEqual([SUBJECT])
    })

    test('recognizes an index whose columns have names of several words', async () => {
      const claim = { rewardId: 'r1', claimedAt: clock.now(), redeemedAt: clock.now() }
      const work = (tx: Transaction) =>
        tx.insert(tx.tables.userRewards).values({ ...claim, userId: 'u2', redemptionCode: 'code' })
      expect(await refusedBy(work)).toEqual([CODE])
    })

    test('recognizes no index in the error of a primary key, a foreign key, a check or an error of our own', async () => {
      const claim = { userId: 'u2', rewardId: 'r1', claimedAt: clock.now(), redemptionCode: 'alone' }
      expect(await refusedBy(tx => insertUser(tx, { id: 'u1', subject: 's9' }))).toEqual([])
      expect(await refusedBy(tx => tx.insert(tx.tables.userRewards).values(claim))).toEqual([])
      expect(
        await refusedBy(async () => {
          throw new Error('UNIQUE constraint failed: users.handle')
        }),
      ).toEqual([])
    })
  })
}

test('on SQLite a unique index is recognized although its name omits some of its columns', () => {
  const message = 'UNIQUE constraint failed: points_entries.user_id, points_entries.seq'
  const error = Object.assign(new Error(message), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
  expect(isUniqueViolation(error, 'points_entries_user_seq_unique')).toBe(true)
  expect(isUniqueViolation(error, 'points_entries_user_reason_ref_unique')).toBe(false)
})

test('at a node of Citus a unique index is recognized by its name with the number of a shard', () => {
  const error = (constraint: string) => Object.assign(new Error('duplicate'), { errno: '23505', constraint })
  const ofShard = error('users_handle_unique_102033')
  expect(isUniqueViolation(ofShard, 'users_handle_unique')).toBe(true)
  expect(isUniqueViolation(ofShard, 'users_handle')).toBe(false)
  expect(isUniqueViolation(error('boards_top_10'), 'boards_top')).toBe(false)
})

describe('translateDatabaseError', () => {
  const coded = (code: string) => Object.assign(new Error('secret'), { code })

  test('finds a wrapped driver error, and keeps it as the cause', () => {
    const wrapped = new Error('Failed query', { cause: new Error('again', { cause: coded('SQLITE_FULL') }) })
    const translated = translateDatabaseError(wrapped)
    expect(translated).toBeInstanceOf(DatabaseError)
    expect(translated).toMatchObject({ fault: 'full', message: 'database full', cause: wrapped })
  })

  test('classifies the faults of SQLite', () => {
    for (const [code, fault] of [
      ['SQLITE_BUSY', 'busy'],
      ['SQLITE_BUSY_SNAPSHOT', 'busy'],
      ['SQLITE_LOCKED', 'busy'],
      ['SQLITE_FULL', 'full'],
      ['SQLITE_IOERR_WRITE', 'unreachable'],
      ['SQLITE_CANTOPEN', 'unreachable'],
      ['SQLITE_READONLY', 'read_only'],
      ['SQLITE_CORRUPT', 'corrupt'],
      ['SQLITE_NOTADB', 'corrupt'],
    ] as const) {
      expect([code, (translateDatabaseError(coded(code)) as DatabaseError).fault]).toEqual([code, fault])
    }
  })

  test('returns other errors and values that are not errors unchanged', () => {
    for (const thrown of [
      // A pipe that is closed, and connections that are not the database's.
      ...['EPIPE', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'FailedToOpenSocket'].map(coded),
      coded('SQLITE_CONSTRAINT_UNIQUE'),
      coded('NOT_FOUND'),
      new TypeError('x'),
      'text',
      null,
    ]) {
      expect(translateDatabaseError(thrown)).toBe(thrown)
    }
  })
})
