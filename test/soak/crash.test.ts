/** Killed, cut off and restarted under load, time and again; `CRASH_ROUNDS` and `CRASH_SEED` choose others. */
import { afterEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { type PostgresCluster, postgresBinaries, startCluster } from '../crash/postgres-cluster.ts'
import {
  type Crash,
  type CrashWorld,
  killed,
  readyAgain,
  runRounds,
  startWorld,
  stopWorld,
  temporaryFile,
} from '../crash/rounds.ts'
import { withRawConnection } from '../db/probe.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 50)
const SEED = Number(process.env.CRASH_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
const FANS = Math.max(300, ROUNDS * 100)
const tidy: (() => unknown)[] = []

afterEach(async () => {
  for (const end of tidy.splice(0).toReversed()) await end()
})

async function play(url: string, crash: Crash) {
  const world = await startWorld(url, FANS)
  tidy.push(() => stopWorld(world))
  const statistics = await runRounds(world, { crash, rounds: ROUNDS, seed: SEED })
  process.stderr.write(`seed ${SEED}: ${JSON.stringify(statistics)}\n`)
  expect(statistics.acknowledged).toBeGreaterThan(ROUNDS)
  expect(statistics.cut).toBeGreaterThan(0)
  expect(statistics.replayed).toBeGreaterThan(0)
}

test(`SQLite: the server is killed ${ROUNDS} times`, async () => {
  const { url, remove } = await temporaryFile()
  tidy.push(remove)
  await play(url, killed)
})

describe.skipIf(postgresBinaries === null)(
  'PostgreSQL, a server of its own (its binaries are needed)',
  () => {
    let cluster: PostgresCluster

    async function begin() {
      cluster = await startCluster(postgresBinaries ?? '')
      tidy.push(() => cluster.remove())
    }

    /** The connections of the test are cut like all others. */
    async function reconnect(world: CrashWorld) {
      await readyAgain(world)
      await world.db.close()
      world.db = openDatabase(world.url, realSources)
    }

    test(`the API is killed ${ROUNDS} times`, async () => {
      await begin()
      await play(cluster.url, killed)
    })

    test(`its connections are cut ${ROUNDS} times, and the API recovers without a restart`, async () => {
      await begin()
      await play(cluster.url, {
        inject: world =>
          withRawConnection(world, async run => {
            await run('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
          }),
        recover: reconnect,
      })
    })

    for (const mode of ['fast', 'immediate'] as const) {
      test(`it is stopped (${mode}) and started ${ROUNDS} times, and the API recovers without a restart`, async () => {
        await begin()
        await play(cluster.url, {
          inject: () => cluster.stop(mode),
          async recover(world) {
            await cluster.start()
            await reconnect(world)
          },
        })
      })
    }
  },
)
