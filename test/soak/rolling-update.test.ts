/** Two instances behind HAProxy are updated to another version under load, one after another, and back. */
import { afterEach, describe, expect, test } from 'bun:test'
import { findLostWrites } from '../crash/acknowledged-writes.ts'
import { findFaults } from '../crash/invariants.ts'
import { applyLoad } from '../crash/rounds.ts'
import { seededNumbers } from '../economy/leaderboard/board-model.ts'
import { waitUntil } from '../support/wait-until.ts'
import { missing, query, startTwoInstances, type TwoInstances } from './two-instances.ts'
import { checkOutPrevious, current, makeNext, type Version } from './versions.ts'

const tidy: (() => unknown)[] = []

afterEach(async () => {
  for (const end of tidy.splice(0).toReversed()) await end()
})

/** Responses to wait for before the next step. */
const RESPONSES = 500

async function startWith(version: Version): Promise<TwoInstances> {
  process.stderr.write(`from ${version.name}\n`)
  // On a slow machine HAProxy may miss a check of the database, which is not tested here.
  const two = await startTwoInstances(20_000, { version, closesConnections: false })
  tidy.push(two.stop)
  return two
}

/** Applies load while the steps are taken. Each step waits for responses, so that it happens under load. */
async function underLoad({ world }: TwoInstances, steps: (() => Promise<unknown>)[]) {
  let over = false
  const load = applyLoad(world, { pick: seededNumbers(1), isOver: () => over })
  const { responses } = world.history
  const enough = () => {
    const before = responses.length
    return waitUntil('the load has responses', () => responses.length >= before + RESPONSES)
  }
  try {
    await enough()
    for (const step of steps) {
      const before = responses.length
      await step()
      const during = responses.slice(before).map(({ milliseconds }) => milliseconds)
      const slowest = Math.round(Math.max(...during))
      process.stderr.write(`  ${during.length} responses, the slowest took ${slowest} ms\n`)
      await enough()
    }
  } finally {
    over = true
    await load
  }
}

/** Replaces both instances, one after another. */
const replaceBoth = (two: TwoInstances, version: Version) => async () => {
  process.stderr.write(`to ${version.name}\n`)
  for (const n of [0, 1] as const) {
    expect(await two.instances[n].stop('SIGTERM')).toBe(0)
    await two.restart(n, version)
    await waitUntil(`instance ${n + 1} serves`, () =>
      two.instances[n].output.some(line => line.includes('"path":"/api/')),
    )
  }
}

const migrate =
  ({ primary }: TwoInstances, version: Version) =>
  async () => {
    const since = performance.now()
    const text = await version.run('migrate', primary.url)
    process.stderr.write(`${text.trim()} ${Math.round(performance.now() - since)} ms\n`)
  }

/** No request failed, and every acknowledged effect is there, once. */
async function expectNothingLost({ world, primary }: TwoInstances, version: Version) {
  const { history, db, beginnings } = world
  process.stderr.write(`${history.responses.length} responses\n`)
  expect(history.failures).toEqual([])
  expect(history.responses.filter(({ status }) => status >= 500)).toEqual([])
  expect(await findLostWrites(db, history)).toEqual([])
  expect(await findFaults(db, beginnings, new Date())).toEqual([])
  await version.run('verify-ledger', primary.url)
}

describe.skipIf(missing !== null)(
  `A rolling update${missing ? ` (skipped: ${missing} is not installed)` : ''}`,
  () => {
    test('to the next version, back to this one and forward again drops no request', async () => {
      const next = await makeNext()
      tidy.push(next.remove)
      const two = await startWith(current)
      const [forward, back] = [replaceBoth(two, next), replaceBoth(two, current)]
      await underLoad(two, [migrate(two, next), forward, back, forward])
      await expectNothingLost(two, next)
      const claims = await query(
        two.primary,
        'SELECT next_note, count(*) AS claims FROM user_rewards GROUP BY next_note ORDER BY 1',
      )
      expect(claims.map(({ next_note }) => next_note)).toEqual(['next', null])
    })

    test('from the previous version drops no request', async () => {
      const previous = await checkOutPrevious()
      tidy.push(previous.remove)
      const two = await startWith(previous)
      const forward = replaceBoth(two, current)
      await underLoad(two, [migrate(two, current), forward, replaceBoth(two, previous), forward])
      await expectNothingLost(two, current)
    })
  },
)
