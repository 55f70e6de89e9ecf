/** What happens in the background of a server that onboards new fans and accepts claims, 50 a second each. */
import { claimPlan } from './catalogue.ts'
import { claimsOf, onboardingsOf, startPaced } from './load/paced.ts'
import { cpuSecondsOf } from './process.ts'
import type { Bench } from './scenario.ts'

/** Interval of onboardings and of claims. */
const WRITE_EVERY_MS = 20
/** Fans who claim, each once for every reward. */
const CLAIMING = 20_000
const MAX_SECONDS = 600

type Paced = Awaited<ReturnType<ReturnType<typeof startPaced>['stop']>>

export interface Meanwhile {
  seconds: number
  /** Of the server. NaN if the system does not report it. */
  cpuSeconds: number
  onboardings: Paced
  claims: Paced
}

export interface Work {
  /** Of the error if it does not end. */
  problem: string
  everyMs: number
  /** Begins it; returns whether it has ended. */
  begin(): Promise<() => Promise<boolean>>
}

/** Lets the JIT compile the code of onboardings and claims, and returns what measures work during them. `fans`: of the database. */
export async function prepareWrites(
  { tokensOf, newTokens, options }: Pick<Bench, 'tokensOf' | 'newTokens' | 'options'>,
  running: { origin: string; pid: number },
  fans: number,
): Promise<(work: Work) => Promise<Meanwhile>> {
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
  const warmingUp = startAll()
  await Bun.sleep(options.seconds * 1_000)
  await warmingUp()
  return async ({ problem, everyMs, begin }) => {
    const stop = startAll()
    const started = performance.now()
    const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
    const isEnded = await begin()
    while (!(await isEnded())) {
      if (performance.now() - started > MAX_SECONDS * 1_000) throw new Error(problem)
      await Bun.sleep(everyMs)
    }
    const seconds = (performance.now() - started) / 1_000
    const cpuSeconds = (cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore
    return { seconds, cpuSeconds, ...(await stop()) }
  }
}
