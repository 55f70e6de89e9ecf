/** When a replica is used: its lag, its checks, and reads that fail. Its servers are played, to put them in any state. */
import { describe, expect, test } from 'bun:test'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { type Database, DatabaseError } from '../../db/index.ts'
import { watchReplica } from '../../db/postgres/replica.ts'
import { postgresIn } from '../../db/schema/columns.ts'
import { tablesOf } from '../../db/schema/tables.ts'

const applied = expectedMigrations('postgres').length

/** A primary and a standby whose positions a test sets. */
function startPair({ deadlineMs = 10_000 } = {}) {
  const pair = {
    written: async (): Promise<number | null> => 100,
    replayed: async (): Promise<number | null> => 100,
    applied,
  }
  const tables = tablesOf(postgresIn(null))
  // Guarantee of the cast: only `tables` and `read.select(…).from(…)` are used.
  const readerOf = (row: () => Promise<object>) =>
    ({ tables, read: { select: () => ({ from: async () => [await row()] }) } }) as unknown as Database
  const primary = readerOf(async () => ({ position: await pair.written() }))
  const standby = readerOf(async () => ({ replayed: await pair.replayed(), applied: pair.applied }))
  const replica = watchReplica(standby, primary, deadlineMs)
  async function check() {
    await replica.check()
    return replica.problem()
  }
  return { pair, replica, check }
}

const never = () => new Promise<never>(() => {})

describe('a replica', () => {
  test('is not used before its first check', async () => {
    const { replica, check } = startPair()
    expect(replica.problem()).toBe('not checked yet')
    expect(await check()).toBeNull()
  })

  test('that is behind at the start is used once it has reached that position of the primary', async () => {
    const { pair, check } = startPair()
    pair.replayed = async () => 99
    expect(await check()).toBe('behind the primary')
    pair.written = async () => 1_000
    expect(await check()).toBe('behind the primary')
    pair.replayed = async () => 100
    expect(await check()).toBeNull()
  })

  test('that stops replaying is used until it is behind the position of the primary five checks ago', async () => {
    const { pair, check } = startPair()
    expect(await check()).toBeNull()
    const problems: (string | null)[] = []
    for (let second = 1; second <= 7; second++) {
      pair.written = async () => 100 + second
      problems.push(await check())
    }
    expect(problems).toEqual([...Array(5).fill(null), ...Array(2).fill('behind the primary')])
    pair.replayed = async () => 107
    expect(await check()).toBeNull()
  })

  test('of a primary that writes nothing is never behind', async () => {
    const { check } = startPair()
    for (let n = 0; n < 20; n++) expect(await check()).toBeNull()
  })

  test('is used while the primary is down, which then commits nothing', async () => {
    const { pair, check } = startPair({ deadlineMs: 10 })
    expect(await check()).toBeNull()
    pair.written = async () => {
      throw new DatabaseError('unreachable')
    }
    expect(await check()).toBeNull()
    pair.written = never
    expect([await check(), await check()]).toEqual([null, null])
  })

  test('whose primary has never responded is not used', async () => {
    const { pair, check } = startPair({ deadlineMs: 10 })
    pair.written = never
    expect(await check()).toBe('behind the primary')
  })

  test('is used after a failover to a primary with an earlier position', async () => {
    const { pair, check } = startPair()
    pair.written = async () => 200
    pair.replayed = async () => 200
    expect(await check()).toBeNull()
    pair.written = async () => 150
    pair.replayed = async () => 150
    for (let n = 0; n < 5; n++) expect(await check()).toBe('behind the primary')
    expect(await check()).toBeNull()
  })

  test('that is not a standby is used, although its lag is unknown', async () => {
    const { pair, check } = startPair()
    pair.replayed = async () => null
    expect(await check()).toBeNull()
  })

  test('that does not respond is not used after the deadline of a check', async () => {
    const { pair, check } = startPair({ deadlineMs: 10 })
    expect(await check()).toBeNull()
    pair.replayed = never
    expect(await check()).toBe('database unreachable')
  })

  test('that lacks migrations is not used', async () => {
    const { pair, check } = startPair()
    pair.applied--
    expect(await check()).toBe('database outdated')
  })

  test('that answers a read too late rejects it, and stays used while its checks succeed', async () => {
    const { replica, check } = startPair({ deadlineMs: 10 })
    expect(await check()).toBeNull()
    expect(await replica.inTime(never()).catch(error => error)).toBeInstanceOf(DatabaseError)
    expect(replica.problem()).toBeNull()
  })
})
