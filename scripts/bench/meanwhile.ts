/** What happens in the background of a server that onboards new fans and accepts claims, 50 a second each. */
import { claimPlan } from './catalogue.ts'
import { claimsOf, onboardingsOf, startPaced } from './load/paced.ts'
import { cpuSecondsOf } from './process.ts'
import type { Bench } from './scenario.ts'
import { type Waiting, waitForEnd } from './wait-for-end.ts'

/** Interval of onboardings and of claims. */
const WRITE_EVERY_MS = 20
/** Fans who claim, each once for every reward. */
const CLAIMING = 20_000

type Paced = Awaited<ReturnType<ReturnType<typeof startPaced>['stop']>>

export interface Meanwhile {
  seconds: number
  /** Of the server. NaN if the system does not report it. */
  cpuSeconds: number
  onboardings: Paced
  claims: Paced
}

export interface Work extends Omit<Waiting, 'progress'> {
  /** Begins it; returns its progress. */
  begin(): Promise<Waiting['progress']>
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
  return async ({ begin, ...work }) => {
    const stop = startAll()
    const started = performance.now()
    const cpuBefore = cpuSecondsOf(running.pid) ?? Number.NaN
    await waitForEnd({ ...work, progress: await begin() })
    const seconds = (performance.now() - started) / 1_000
    const cpuSeconds = (cpuSecondsOf(running.pid) ?? Number.NaN) - cpuBefore
    return { seconds, cpuSeconds, ...(await stop()) }
  }
}
