/** Remembers that a database which can be read takes no writes, so that whoever asks whether it is well is told. */
import { DatabaseError, type DatabaseFault } from './errors.ts'

/** What no later write heals by itself being tried. */
const LASTING: DatabaseFault[] = ['full', 'read_only', 'corrupt']

export interface WriteFault {
  /** To be told of every error of a write. */
  note(error: unknown): void
  /** Resolves when writes are taken, as far as is known. @throws DatabaseError while they are not */
  check(): Promise<void>
}

/** `probe` writes something that stays without effect: asked only after a fault, it tells when the fault is over. */
export function createWriteFault(probe: () => Promise<void>): WriteFault {
  let fault: DatabaseError | undefined
  return {
    note(error) {
      if (!(error instanceof DatabaseError) || !LASTING.includes(error.fault)) return
      // What is broken in one place is not whole because another takes a write: that takes a restart.
      if (fault?.fault !== 'corrupt') fault = error
    },
    async check() {
      if (fault?.fault === 'corrupt') throw fault
      if (!fault) return
      await probe()
      fault = undefined
    },
  }
}
