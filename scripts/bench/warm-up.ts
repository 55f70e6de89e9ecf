/** Loads a server until it is warm: a slow machine has compiled the hot code of one only after many seconds. */
import type { BenchOptions } from './options.ts'

/** A second is like the one before when their throughputs differ by less than this share. */
const ALIKE = 0.05
const FEWEST_SECONDS = 3

export interface WarmUp {
  seconds: number
  /** The last second was like the one before. */
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
  let before = 0
  for (let second = 1; ; second++) {
    const { perSecond } = await load(1)
    const steady = second >= FEWEST_SECONDS && Math.abs(perSecond - before) < ALIKE * before
    if (steady || second >= most || !goesOn(perSecond)) return { seconds: second, steady }
    before = perSecond
  }
}
