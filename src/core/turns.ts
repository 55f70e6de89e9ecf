/** Runs background work in turns: never two at once, and one more if it was requested during the last one. */

export type Turns = ReturnType<typeof createTurns>

interface TurnOptions {
  pause(tookMs: number): Promise<void>
  /** Milliseconds. */
  elapsed(): number
  onError(error: unknown): void
}

/** `pause` runs after each turn, with its duration. After an error, the next `ask` starts a new turn. */
export function createTurns(turn: () => Promise<void>, { pause, elapsed, onError }: TurnOptions) {
  let asked = false
  let turning: Promise<void> | undefined
  /** The callers that wait for the end of the next turn. */
  const waiting: (() => void)[] = []
  const release = (ended: (() => void)[]) => {
    for (const end of ended) end()
  }

  async function run() {
    try {
      while (asked) {
        asked = false
        const ended = waiting.splice(0)
        const began = elapsed()
        await turn().finally(() => release(ended))
        await pause(elapsed() - began)
      }
    } catch (error) {
      onError(error)
    } finally {
      turning = undefined
      release(waiting.splice(0))
    }
  }

  /** Requests a turn. Resolves when no more turns are requested. */
  function ask(): Promise<void> {
    asked = true
    turning ??= run()
    return turning
  }
  return {
    ask,
    /** Requests a turn. Resolves when it has ended, even if others follow. */
    next: () =>
      new Promise<void>(resolve => {
        waiting.push(resolve)
        void ask()
      }),
    /** Resolves when no turn runs. */
    settled: async () => turning,
  }
}
