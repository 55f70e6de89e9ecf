/**
 * Measures the end of a week of a division, in the background of a server that onboards new fans and accepts claims: until all tables
 * are closed, and fans are in those of the next week.
 */
import { claimPlan } from '../catalogue.ts'
import type { Engine } from '../databases.ts'
import { endDivision, prepareDivision } from '../divisions.ts'
import { claimsOf, onboardingsOf, startPaced } from '../load/paced.ts'
import { cpuSecondsOf } from '../process.ts'
import { type Bench, row, type Scenario, type ScenarioResult, type Unit } from '../scenario.ts'

const FANS = 500_000
/** Interval of onboardings and of claims: 50 a second each. */
const WRITE_EVERY_MS = 20
/** Fans who claim, each once for every reward. */
const CLAIMING = 20_000
const MAX_SECONDS = 600

export const divisions: Scenario = {
  name: 'divisions',
  summary: `Closing the tables of ${FANS.toLocaleString('en')} fans in a division, during 50 onboardings and 50 claims a second`,
  long: true,
  async run(bench) {
    const all: ScenarioResult = { rows: [], notes: [], separateRows: true }
    for (const engine of bench.options.engines) {
      const rounds: Closed[] = []
      for (let round = 0; round < bench.options.rounds; round++) rounds.push(await closeOnce(bench, engine))
      const add = (name: string, unit: Unit, read: (closed: Closed) => number) =>
        all.rows.push(row(`${engine}, ${name}`, unit, rounds.map(read)))
      add('close', 's', ({ seconds }) => seconds)
      add('close, CPU of the server', 's', ({ cpuSeconds }) => cpuSeconds)
      add('close, onboardings, p99', 'ms', ({ onboardings }) => onboardings.p99)
      add('close, claims, p99', 'ms', ({ claims }) => claims.p99)
      const failed = rounds.reduce(
        (sum, { onboardings, claims }) => sum + onboardings.failed + claims.failed,
        0,
      )
      if (failed > 0) all.invalid = `${engine}: ${failed} onboardings or claims failed`
    }
    return all
  },
}

type Paced = Awaited<ReturnType<ReturnType<typeof startPaced>['stop']>>

interface Closed {
  seconds: number
  /** NaN if the system does not report it. */
  cpuSeconds: number
  onboardings: Paced
  claims: Paced
}

async function closeOnce(bench: Bench, engine: Engine): Promise<Closed> {
  const { subjects, options, databases, newTokens, tokensOf } = bench
  const fans = options.quick ? options.fans : FANS
  const { url, remove } = await databases.copy(engine, fans)
  await prepareDivision(url)
  const running = await subjects.matchdayOn(url)
  const claims = claimsOf(tokensOf(fans, Math.min(fans, CLAIMING)), claimPlan([]).requests)
  const onboardings = onboardingsOf(newTokens())
  const startAll = () => {
    const pace = { everyMs: WRITE_EVERY_MS }
    const [onboarding, claiming] = [
      startPaced(running.origin, onboardings, pace),
      startPaced(running.origin, claims, pace),
    ]
    return async () => ({ onboardings: await onboarding.stop(), claims: await claiming.stop() })
  }
  try {
    // Lets the JIT compile the code of onboardings and claims.
    const warmingUp = startAll()
    await Bun.sleep(options.seconds * 1_000)
    await warmingUp()
    const stop = startAll()
    const started = performance.now()
    const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
    const ended = await endDivision(url)
    try {
      while (!(await ended.isClosed())) {
        if (performance.now() - started > MAX_SECONDS * 1_000) throw new Error('the tables are not closed')
        await Bun.sleep(50)
      }
    } finally {
      await ended.close()
    }
    const seconds = (performance.now() - started) / 1_000
    const cpuSeconds = (cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore
    return { seconds, cpuSeconds, ...(await stop()) }
  } finally {
    await running.stop()
    await remove()
  }
}
