/** Loads a server until its throughput is steady: on a slow machine the JIT compiler needs many seconds. */
import type { BenchOptions } from './options.ts'

/** The relative increase in throughput that counts as an improvement. */
const IMPROVEMENT = 0.05
/** The warm-up ends after this many seconds without an improvement. */
const STEADY_SECONDS = 4

export interface WarmUp {
  seconds: number
  /** Whether the throughput stopped improving. */
  steady: boolean
}

/**
 * @param load loads the server for `seconds`
 * @param canContinue whether, at this throughput, enough unique requests remain for another second
 */
export async function warmUp(
  load: (seconds: number) => Promise<{ perSecond: number }>,
  { quick, seconds, warmUp: maxSeconds }: Pick<BenchOptions, 'quick' | 'seconds' | 'warmUp'>,
  canContinue: (perSecond: number) => boolean = () => true,
): Promise<WarmUp> {
  if (quick) {
    const short = Math.min(seconds, 2)
    await load(short)
    return { seconds: short, steady: false }
  }
  let best = 0
  let unimproved = 0
  for (let second = 1; ; second++) {
    const { perSecond } = await load(1)
    unimproved = perSecond > best * (1 + IMPROVEMENT) ? 0 : unimproved + 1
    best = Math.max(best, perSecond)
    const steady = unimproved >= STEADY_SECONDS
    if (steady || second >= maxSeconds || !canContinue(perSecond)) return { seconds: second, steady }
  }
}
