/**
 * Gives requests priority over background work: between two turns, background work waits until there are few
 * requests.
 */

/** Also lets results accumulate, so that one unit of work stores many. Milliseconds. */
const STEP_MS = 2
/** Under permanent load, turns take at most about this share of the time, so that they still proceed. */
const SHARE = 1 / 10
/** The longest wait, also after a turn that has waited for a lock. Milliseconds. */
const MAX_MS = 1_000
/** With this many requests in flight or fewer, the server has spare time. */
const FEW_REQUESTS = 4
/**
 * A commit ends all requests that share it, and the next requests arrive a moment later, so the peak decays
 * slowly. Milliseconds.
 */
const HALF_LIFE_MS = 20
/** Share of a core. Requests that end within one turn of the event loop are never seen in flight, but use CPU time. */
const BUSY = 0.8

interface Load {
  /** Requests without a response. */
  inFlight(): number
  /** Milliseconds. */
  elapsed(): number
  /** Time on the CPU. Default: that of this process. Milliseconds. */
  cpu?(): number
}

/** Called with the duration of the previous turn. */
export type GiveWay = (tookMs: number) => Promise<void>

export function createGiveWay({ inFlight, elapsed, cpu = cpuOfProcess }: Load): GiveWay {
  const peak = { requests: 0, at: elapsed() }
  function recentPeak(at: number): number {
    const rest = peak.requests * 0.5 ** ((at - peak.at) / HALF_LIFE_MS)
    Object.assign(peak, { requests: Math.max(inFlight(), rest), at })
    return peak.requests
  }
  return async tookMs => {
    const began = elapsed()
    const maxMs = Math.min(tookMs / SHARE, MAX_MS)
    for (;;) {
      const before = { at: elapsed(), cpu: cpu() }
      await Bun.sleep(STEP_MS)
      const at = elapsed()
      const isBusy = cpu() - before.cpu > (at - before.at) * BUSY
      if ((recentPeak(at) <= FEW_REQUESTS && !isBusy) || at - began >= maxMs) return
    }
  }
}

function cpuOfProcess(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
