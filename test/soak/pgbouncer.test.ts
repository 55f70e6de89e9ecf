/** The load of the crash tests through PgBouncer. */
import { afterEach, describe, expect, test } from 'bun:test'
import { findLostWrites } from '../crash/acknowledged-writes.ts'
import { findFaults } from '../crash/invariants.ts'
import { postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import { applyLoad, startWorld, stopWorld } from '../crash/rounds.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { pgbouncerBinary, startPgBouncer } from '../support/pgbouncer.ts'
import { startApi } from '../support/processes.ts'

const RESPONSES = 3_000
const tidy: (() => unknown)[] = []

afterEach(async () => {
  for (const end of tidy.splice(0).toReversed()) await end()
})

const missing =
  postgresBinaries === null
    ? ' (skipped: PostgreSQL is not installed)'
    : pgbouncerBinary === null
      ? ' (skipped: pgbouncer is not installed)'
      : ''

describe.skipIf(missing !== '')(`PgBouncer${missing}`, () => {
  test.each(['session', 'transaction'] as const)('in %s mode carries mixed load', async mode => {
    const cluster = await startCluster(postgresBinaries ?? '')
    tidy.push(() => cluster.remove())
    const pooler = await startPgBouncer(pgbouncerBinary ?? '', new URL(cluster.url), mode)
    tidy.push(() => pooler.stop())
    const DATABASE_URL = pooler.urlOf('postgres')
    const world = await startWorld(cluster.url, 5_000, {
      start: env => startApi({ ...env, DATABASE_URL, DATABASE_PREPARED_STATEMENTS: 'off' }),
    })
    tidy.push(() => stopWorld(world))
    const { responses, unacknowledged } = world.history
    await applyLoad(world, { pick: seededNumbers(1), isOver: () => responses.length >= RESPONSES })
    expect(unacknowledged).toEqual([])
    expect(responses.filter(({ status }) => status >= 500)).toEqual([])
    expect(await findLostWrites(world.db, world.history)).toEqual([])
    expect(await findFaults(world.db, world.beginnings, new Date())).toEqual([])
  })
})
