/** Ctrl-C and SIGTERM: the first finishes the batch, the second leaves at once. */

export type StopSignal = 'SIGINT' | 'SIGTERM'
/** 128 and the signal's number, as shells count. */
const CODES: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143 }

/** The work stopped between two batches, on request. */
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

/** Listens while `work` runs; before and after it a signal ends the process as it always does. */
export async function stoppable<T>(
  work: (requested: () => StopSignal | undefined) => Promise<T>,
): Promise<T> {
  let requested: StopSignal | undefined
  const onSignal = (signal: StopSignal) => {
    // All work is safe to kill.
    if (requested) process.exit(CODES[signal])
    requested = signal
    process.stderr.write('\nFinishing this batch. Press Ctrl-C again to leave at once.\n')
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    return await work(() => requested)
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
