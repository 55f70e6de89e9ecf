/** Loads a server until its throughput is steady: the JIT compiler needs many seconds, or tens of thousands of requests. */
import type { BenchOptions } from './options.ts'

/** The relative increase in throughput that counts as an improvement. */
const IMPROVEMENT = 0.05
/** The warm-up ends after this many seconds without an improvement. */
const STEADY_SECONDS = 4

/** A warm-up with a minimum of requests takes at most this many times the maximum of seconds. */
const MAX_EXTENSION = 10

export interface WarmUp {
  seconds: number
  /** Whether the throughput stopped improving. */
  steady: boolean
}

/**
 * @param load loads the server for `seconds`
 * @param canContinue whether, at this throughput, enough unique requests remain for another second
 * @param minRequests sent even if that takes longer than the maximum of seconds
 */
export async function warmUp(
  load: (seconds: number) => Promise<{ perSecond: number }>,
  { quick, seconds, warmUp: maxSeconds }: Pick<BenchOptions, 'quick' | 'seconds' | 'warmUp'>,
  canContinue: (perSecond: number) => boolean = () => true,
  minRequests = 0,
): Promise<WarmUp> {
  if (quick) {
    const short = Math.min(seconds, 2)
    await load(short)
    return { seconds: short, steady: false }
  }
  let best = 0
  let unimproved = 0
  let requests = 0
  for (let second = 1; ; second++) {
    const { perSecond } = await load(1)
    unimproved = perSecond > best * (1 + IMPROVEMENT) ? 0 : unimproved + 1
    best = Math.max(best, perSecond)
    requests += perSecond
    const steady = unimproved >= STEADY_SECONDS
    const isLong = second >= maxSeconds * (requests < minRequests ? MAX_EXTENSION : 1)
    if ((steady && requests >= minRequests) || isLong || !canContinue(perSecond))
      return { seconds: second, steady }
  }
}
