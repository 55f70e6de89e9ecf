/** When a replica is used: its lag, its checks, and reads that fail. Its servers are played, to put them in any state. */
import { describe, expect, test } from 'bun:test'
import { expectedMigrations } from '../../db/expected-schema.ts'
import { type Database, DatabaseError } from '../../db/index.ts'
import { watchReplica } from '../../db/postgres/replica.ts'

const applied = expectedMigrations('postgres').length

/** A primary and a standby whose positions a test sets. */
function startPair({ deadlineMs = 10_000 } = {}) {
  const pair = {
    elapsed: 1_000_000,
    written: async (): Promise<number | null> => 100,
    replayed: async (): Promise<number | null> => 100,
    applied,
  }
  // Guarantee of the cast: only `read.select(…).from(…)` is called.
  const readerOf = (row: () => Promise<object>) =>
    ({ read: { select: () => ({ from: async () => [await row()] }) } }) as unknown as Database
  const primary = readerOf(async () => ({ position: await pair.written() }))
  const standby = readerOf(async () => ({ replayed: await pair.replayed(), applied: pair.applied }))
  const replica = watchReplica(standby, primary, { elapsed: () => pair.elapsed, deadlineMs })
  async function checkAfter(ms: number) {
    pair.elapsed += ms
    await replica.check()
    return replica.problem()
  }
  return { pair, replica, checkAfter }
}

const never = () => new Promise<never>(() => {})

describe('a replica', () => {
  test('is not used before its first check', async () => {
    const { replica } = startPair()
    expect(replica.problem()).toBe('not checked recently')
    await replica.check()
    expect(replica.problem()).toBeNull()
  })

  test('that is behind at the start is used once it has what the primary had then', async () => {
    const { pair, checkAfter } = startPair()
    pair.replayed = async () => 99
    expect(await checkAfter(0)).toBe('behind the primary')
    pair.written = async () => 1_000
    expect(await checkAfter(1_000)).toBe('behind the primary')
    pair.replayed = async () => 100
    expect(await checkAfter(1_000)).toBeNull()
  })

  test('that stops replaying is used until the primary wrote something more than five seconds ago', async () => {
    const { pair, checkAfter } = startPair()
    expect(await checkAfter(0)).toBeNull()
    const problems: (string | null)[] = []
    for (let second = 1; second <= 8; second++) {
      pair.written = async () => 100 + second
      problems.push(await checkAfter(1_000))
    }
    // The write of the first second is five seconds old in the sixth, and one check later at the latest it counts.
    expect(problems.slice(0, 5)).toEqual(Array(5).fill(null))
    expect(problems.slice(6)).toEqual(Array(2).fill('behind the primary'))
    pair.replayed = async () => 108
    expect(await checkAfter(1_000)).toBeNull()
  })

  test('of a primary that writes nothing is never behind', async () => {
    const { checkAfter } = startPair()
    for (let minute = 0; minute < 5; minute++) expect(await checkAfter(60_000)).toBeNull()
  })

  test('is used while the primary is gone, which then commits nothing', async () => {
    const { pair, checkAfter } = startPair()
    expect(await checkAfter(0)).toBeNull()
    pair.written = async () => {
      throw new DatabaseError('unreachable')
    }
    expect(await checkAfter(1_000)).toBeNull()
    pair.written = never
    expect([await checkAfter(1_000), await checkAfter(60_000)]).toEqual([null, null])
  })

  test('whose primary is one that never answered is not used', async () => {
    const { pair, checkAfter } = startPair({ deadlineMs: 10 })
    pair.written = never
    expect(await checkAfter(0)).toBe('database unreachable: no response in time')
  })

  test('is used after a failover to a primary with an earlier position', async () => {
    const { pair, checkAfter } = startPair()
    pair.written = async () => 200
    pair.replayed = async () => 200
    expect(await checkAfter(0)).toBeNull()
    pair.written = async () => 150
    pair.replayed = async () => 150
    let problem = await checkAfter(1_000)
    for (let second = 0; second < 7; second++) problem = await checkAfter(1_000)
    expect(problem).toBeNull()
  })

  test('that is no standby is used, though its lag is unknown', async () => {
    const { pair, checkAfter } = startPair()
    pair.replayed = async () => null
    expect(await checkAfter(0)).toBeNull()
  })

  test('that is silent is not used after the deadline of a check', async () => {
    const { pair, checkAfter } = startPair({ deadlineMs: 10 })
    expect(await checkAfter(0)).toBeNull()
    pair.replayed = never
    expect(await checkAfter(1_000)).toBe('database unreachable: no response in time')
  })

  test('that lacks migrations is not used', async () => {
    const { pair, checkAfter } = startPair()
    pair.applied--
    expect(await checkAfter(0)).toBe('database outdated')
  })

  test('is not used when checks no longer run', async () => {
    const { pair, replica, checkAfter } = startPair()
    expect(await checkAfter(0)).toBeNull()
    pair.elapsed += 3_001
    expect(replica.problem()).toBe('not checked recently')
  })

  test('that answers no read in time is not used for five seconds, though its checks succeed', async () => {
    const { replica, checkAfter } = startPair({ deadlineMs: 10 })
    expect(await checkAfter(0)).toBeNull()
    expect(await replica.guard(never()).catch(error => error)).toBeInstanceOf(DatabaseError)
    expect(replica.problem()).toBe('database unreachable: no response in time')
    expect(await checkAfter(4_999)).toBe('database unreachable: no response in time')
    expect(await checkAfter(1)).toBeNull()
  })

  test('is used on when a read fails for a reason of its own', async () => {
    const { replica, checkAfter } = startPair()
    await checkAfter(0)
    const failure = replica.guard(Promise.reject(new Error('a row is missing')))
    expect(await failure.catch((error: Error) => error.message)).toBe('a row is missing')
    expect(replica.problem()).toBeNull()
  })
})
