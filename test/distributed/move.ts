/** For `main.ts`, on Citus: two clubs under load, of which one is moved to another node and back. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { dropDatabase } from '../../db/drop.ts'
import { findNode } from '../../db/postgres/schema-node.ts'
import { type CrashWorld, runRounds, startWorld, stopWorld } from '../crash/rounds.ts'
import { runScript } from '../scripts/run-script.ts'
import { secrets } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'

const coordinator = process.env.TEST_POSTGRES_URL ?? ''
const prefix = process.env.TEST_CLUSTER_SCHEMAS ?? ''
const NAMES = ['harbour', 'valley'] as const
const ROUNDS = Number(process.env.MOVES ?? 2)
const SEED = Number(process.env.CRASH_SEED ?? 7)
/** How many fans the load may use. */
const FANS = 4_000

let admin: SQL
const worlds = {} as Record<(typeof NAMES)[number], CrashWorld>
const schemaOf = (name: string) => `${prefix}${name}`
const envOf = (name: string) => ({
  ...{ DATABASE_URL: coordinator, DATABASE_SCHEMA: schemaOf(name) },
  NATIVE_TOKEN_KEY: secrets.NATIVE_TOKEN_KEY,
})
const nodeOf = async (name: string) => new URL(await findNode(coordinator, { schema: schemaOf(name) })).host

beforeAll(async () => {
  admin = new SQL(coordinator, { max: 1 })
  for (const name of NAMES) worlds[name] = await startWorld(coordinator, FANS, { schema: schemaOf(name) })
})
afterAll(async () => {
  for (const name of NAMES) if (worlds[name]) await stopWorld(worlds[name])
  await admin.close()
})

/** Moves the club to another node; returns how long it took and waits until the processes have followed. */
async function move(name: string): Promise<number> {
  const from = await nodeOf(name)
  const [to] = await admin.unsafe(
    `SELECT nodename, nodeport FROM pg_dist_node
     WHERE shouldhaveshards AND noderole = 'primary' AND nodename || ':' || nodeport <> '${from}' ORDER BY random() LIMIT 1`,
  )
  const startedAt = performance.now()
  await admin.unsafe(`SELECT citus_schema_move('${schemaOf(name)}', '${to.nodename}', ${to.nodeport})`)
  const took = performance.now() - startedAt
  await waitUntil('all sessions of the club are at its new node', async () => {
    const [old, used] = await Promise.all([sessionsAt(from, name), sessionsAt(await nodeOf(name), name)])
    return old === 0 && used > 0
  })
  return Math.round(took)
}

async function sessionsAt(host: string, name: string): Promise<number> {
  const url = new URL(coordinator)
  url.host = host
  await using client = new SQL(url.href, { max: 1 })
  const [row] = await client.unsafe(
    `SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE application_name = 'matchday ${schemaOf(name)}'`,
  )
  return Number(row.sessions)
}

const percentiles = (world: CrashWorld) => {
  const times = world.history.responses.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  return {
    requests: times.length,
    p50: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    slowest: Math.round(times.at(-1) ?? 0),
  }
}

test('a club is moved under load without a failed request, and another one is not touched (PostgreSQL)', async () => {
  const moves: number[] = []
  let moved = Promise.withResolvers<void>()
  const ofHarbour = runRounds(worlds.harbour, {
    rounds: ROUNDS,
    seed: SEED,
    crash: {
      async inject() {
        moves.push(await move('harbour'))
        moved.resolve()
        moved = Promise.withResolvers()
      },
      async recover() {},
    },
  })
  const ofValley = runRounds(worlds.valley, {
    rounds: ROUNDS,
    seed: SEED + 1,
    // Continues until the other club has moved.
    crash: { inject: () => Promise.race([moved.promise, ofHarbour.then(() => {})]), async recover() {} },
  })
  const [harbour, valley] = await Promise.all([ofHarbour, ofValley])
  process.stderr.write(
    `${JSON.stringify({ seed: SEED, moves, harbour: { ...harbour, ...percentiles(worlds.harbour) }, valley: { ...valley, ...percentiles(worlds.valley) } })}\n`,
  )
  for (const name of NAMES) {
    expect(worlds[name].history.failures).toEqual([])
    expect(worlds[name].history.unacknowledged).toEqual([])
  }
  expect(harbour.acknowledged).toBeGreaterThan(ROUNDS)
  expect(valley.acknowledged).toBeGreaterThan(ROUNDS)
})

test('both are verified, and have no row of the other one (PostgreSQL)', async () => {
  const ids: Set<string>[] = []
  for (const name of NAMES) {
    for (const command of ['verify-ledger', 'verify-quests'] as const) {
      const { code, out, err } = await runScript(command, [], { env: envOf(name) })
      expect([name, command, code, out + err]).toEqual([name, command, 0, expect.any(String)])
    }
    const { db } = worlds[name]
    ids.push(
      new Set((await db.read.select({ id: db.tables.users.id }).from(db.tables.users)).map(({ id }) => id)),
    )
  }
  expect(ids[0]?.intersection(ids[1] ?? new Set()).size).toBe(0)
  expect(ids[0]?.size).toBeGreaterThan(0)
})

test('a club is not deleted while a process uses it on its node, and then deleted (PostgreSQL)', async () => {
  const settings = { schema: schemaOf('valley') }
  await expect(dropDatabase(coordinator, settings)).rejects.toMatchObject({ fault: 'busy' })
  await stopWorld(worlds.valley)
  await dropDatabase(coordinator, settings)
  const rows = await admin.unsafe(
    `SELECT 1 FROM pg_class WHERE relnamespace = '${settings.schema}'::regnamespace AND relkind = 'r'`,
  )
  expect([...rows]).toEqual([])
})
