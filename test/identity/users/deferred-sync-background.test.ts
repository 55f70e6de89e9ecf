/** The background task that retries deferred syncs, with timers that the test controls. */
import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { startBackground } from '../../../src/app/background.ts'
import type { Deps } from '../../../src/app/deps.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { onEngine } from '../../support/world.ts'

const A_MINUTE = 60_000

onEngine(sqliteEngine, 'Background', world => {
  beforeEach(() => {
    jest.useFakeTimers()
    world.logged.length = 0
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  /** The application's dependencies, with a task that the test controls. */
  const depsWith = (refresh: () => Promise<void>): Deps => ({
    ...world.deps,
    identity: { ...world.deps.identity, refresh },
  })
  /** Runs the callbacks of settled promises. */
  async function settle() {
    for (let n = 0; n < 10; n++) await Promise.resolve()
  }

  test('a failed run is logged, and the next one still runs', async () => {
    let runs = 0
    const { stop } = startBackground(
      depsWith(async () => {
        runs++
        throw new Error(`run ${runs} failed`)
      }),
    )
    await settle()
    jest.advanceTimersByTime(A_MINUTE)
    await settle()
    await stop()
    expect(runs).toBe(2)
    const reasons = world.logged
      .map(line => JSON.parse(line))
      // Other tasks may fail as well: the timers that the test advances are also the database's deadlines.
      .filter(({ task }) => task === 'refresh provider keys')
      .map(({ error, msg }) => [msg, error.message])
    expect(reasons).toEqual([
      ['background run failed', 'run 1 failed'],
      ['background run failed', 'run 2 failed'],
    ])
  })

  test('never runs a task twice at the same time, and stop waits for the current run', async () => {
    let runs = 0
    const work = Promise.withResolvers<void>()
    const { stop } = startBackground(
      depsWith(() => {
        runs++
        return work.promise
      }),
    )
    jest.advanceTimersByTime(3 * A_MINUTE)
    expect(runs).toBe(1)
    let stopped = false
    const stopping = stop().then(() => {
      stopped = true
    })
    await settle()
    expect(stopped).toBe(false)
    work.resolve()
    await stopping
    jest.advanceTimersByTime(3 * A_MINUTE)
    expect([runs, stopped]).toEqual([1, true])
  })
})
