/**
 * Limits attempts of which only the failed ones count. At most as many are judged at once as may still fail, and the others wait in line:
 * a burst cannot fail more often than its limit, and none that is right is refused. Of this process alone; the counts are shared.
 */

/** The attempts of a key, until none is left. */
interface Line {
  size: number
  judged: number
  waiting: (() => void)[]
}

export function createAttempts() {
  const lines = new Map<string, Line>()

  /** `room`: how many may be judged at once. It throws if none may. */
  return async function judge<Result>(
    key: string,
    room: () => number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const line = lines.get(key) ?? { size: 0, judged: 0, waiting: [] }
    lines.set(key, line)
    line.size++
    let isJudged = false
    try {
      if (line.waiting.length > 0) await new Promise<void>(resolve => line.waiting.push(resolve))
      // At the head of the line, where it was.
      while (line.judged >= room()) await new Promise<void>(resolve => line.waiting.unshift(resolve))
      line.judged++
      isJudged = true
      return await work()
    } finally {
      if (isJudged) line.judged--
      if (--line.size === 0) lines.delete(key)
      line.waiting.shift()?.()
    }
  }
}
