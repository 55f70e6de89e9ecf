/** Loads a server until it is warm: a slow machine has compiled the hot code of one only after many seconds. */
import type { BenchOptions } from './options.ts'

/** A second is better than those before when it brings more by this share. */
const BETTER = 0.05
/** As long as none is better, a server is still warming up: two alike may be chance. */
const SECONDS_WITHOUT = 4

export interface WarmUp {
  seconds: number
  /** The last seconds brought nothing better. */
  steady: boolean
}

/**
 * @param load measures so many seconds
 * @param goesOn whether, at this throughput, there is enough left of what the load uses up for another second
 */
export async function warmUp(
  load: (seconds: number) => Promise<{ perSecond: number }>,
  { quick, seconds, warmUp: most }: Pick<BenchOptions, 'quick' | 'seconds' | 'warmUp'>,
  goesOn: (perSecond: number) => boolean = () => true,
): Promise<WarmUp> {
  if (quick) {
    const short = Math.min(seconds, 2)
    await load(short)
    return { seconds: short, steady: false }
  }
  let best = 0
  let without = 0
  for (let second = 1; ; second++) {
    const { perSecond } = await load(1)
    without = perSecond > best * (1 + BETTER) ? 0 : without + 1
    best = Math.max(best, perSecond)
    const steady = without === SECONDS_WITHOUT
    if (steady || second >= most || !goesOn(perSecond)) return { seconds: second, steady }
  }
}
