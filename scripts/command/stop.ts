/** Ctrl-C and SIGTERM: the first signal finishes the batch, the second exits at once. */

export type StopSignal = 'SIGINT' | 'SIGTERM'
/** 128 plus the number of the signal, the convention of shells. */
const CODES: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143 }

/** A signal stopped the work between two batches. */
export class Interrupted extends Error {
  readonly exitCode: number
  constructor(
    readonly signal: StopSignal,
    readonly done: number,
  ) {
    super(`stopped by ${signal}`)
    this.exitCode = CODES[signal]
  }
}

/** Handles signals while `work` runs; before and after, they have their default effect. */
export async function stoppable<T>(
  work: (requested: () => StopSignal | undefined) => Promise<T>,
): Promise<T> {
  let requested: StopSignal | undefined
  const onSignal = (signal: StopSignal) => {
    // Killing the process is safe at any time.
    if (requested) process.exit(CODES[signal])
    requested = signal
    process.stderr.write('\nFinishing this batch. Press Ctrl-C again to exit at once.\n')
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    return await work(() => requested)
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
