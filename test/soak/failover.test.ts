/** The primary of two instances under load fails, and its synchronous standby takes over; `FAILOVER_ROUNDS` times. */
import { afterEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../db/index.ts'
import { realSources } from '../../src/core/sources.ts'
import { applyLoad, type CrashWorld, isReady, runRounds } from '../crash/rounds.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { runScript } from '../scripts/run-script.ts'
import type { RunningApi } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'
import { missing, startTwoInstances, type TwoInstances } from './two-instances.ts'

const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 6)
const SEED = Number(process.env.CRASH_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0])
/** The documented limit, from the start of the promotion. Milliseconds. */
const HEALED_MS = 10_000
/** Checks whether the instances have healed. */
const PROBE = 'fan-0001'
let two: TwoInstances | undefined

afterEach(() => two?.stop())

/** Resolves when the instance is ready and a write succeeds. */
async function heal({ provider }: CrashWorld, instance: RunningApi): Promise<void> {
  const token = await provider.idp.issueToken(PROBE)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  async function writes() {
    const body = JSON.stringify({ bio: crypto.randomUUID() })
    const response = await fetch(`${instance.origin}/api/user/profile`, { method: 'POST', headers, body })
    return response.ok
  }
  await waitUntil('the instance has healed', async () => (await isReady(instance)) && writes(), 120_000)
}

/** Load that continues although requests fail. */
async function pressOn(world: CrashWorld, until: Promise<unknown>): Promise<void> {
  let over = false
  void until.finally(() => {
    over = true
  })
  const press = async () => {
    if (!over) await applyLoad(world, { clients: 4, pick: seededNumbers(SEED), isOver: () => over })
    return over
  }
  await waitUntil('the load may end', press, 3_600_000, 100)
}

const cases = [
  ['is killed', 'SIGKILL', true],
  ['no longer responds, and its connections are closed', 'SIGSTOP', true],
  ['no longer responds, and its connections stay open', 'SIGSTOP', false],
] as const

describe.skipIf(missing !== null)(
  `Failover${missing ? ` (skipped: ${missing} is not installed)` : ''}`,
  () => {
    test.each(cases)(`the primary %s, ${ROUNDS} times`, async (_, signal, closesConnections) => {
      const system = await startTwoInstances(2_000 + ROUNDS * 600, { closesConnections })
      two = system
      const { world, instances } = system
      world.fans = 1
      let standby = await system.addStandby()
      const healed: number[][] = []
      let failover: Promise<unknown>

      async function failOver() {
        const startedAt = performance.now()
        await standby.run('pg_ctl', 'promote', '-w', '-D', standby.data)
        const times = instances.map(async instance => {
          await heal(world, instance)
          return Math.round(performance.now() - startedAt)
        })
        healed.push(await Promise.all(times))
      }

      const statistics = await runRounds(world, {
        rounds: ROUNDS,
        seed: SEED,
        crash: {
          async inject() {
            await system.primary.signal(signal)
            failover = failOver()
          },
          async recover() {
            await pressOn(world, failover)
            await failover
            await system.primary.remove()
            system.primary = standby
            standby = await system.addStandby()
            await world.db.close()
            world.db = openDatabase(world.url, realSources)
            // Its next check of an instance that has healed can be a second later.
            const isServed = async () => (await fetch(`${world.api.origin}/readyz`)).ok
            await waitUntil('HAProxy finds an instance ready', isServed)
          },
        },
      })
      process.stderr.write(`seed ${SEED}: ${JSON.stringify({ ...statistics, healed })}\n`)
      expect(Math.max(...healed.flat())).toBeLessThan(HEALED_MS)
      expect(statistics.acknowledged).toBeGreaterThan(ROUNDS)
      const { code, out } = await runScript('verify-ledger', ['--database', world.url])
      expect([code, out]).toEqual([0, expect.stringContaining('No findings')])
    })
  },
)
