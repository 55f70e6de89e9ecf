/** Remembers that a database which can be read takes no writes, so that whoever asks whether it is well is told. */
import { DatabaseError, type DatabaseFault, translateDatabaseError } from './errors.ts'

export interface WriteFault {
  /** To be told of every error of a write. */
  note(error: unknown): void
  /** Resolves when writes are taken, as far as is known. @throws DatabaseError while they are not */
  check(): Promise<void>
}

/**
 * `lasting`: which faults the next write would meet as well. `probe` writes something that stays without effect: asked only
 * after such a fault, it tells when the fault is over.
 */
export function createWriteFault(lasting: DatabaseFault[], probe: () => Promise<void>): WriteFault {
  let fault: DatabaseError | undefined
  return {
    note(error) {
      if (!(error instanceof DatabaseError) || !lasting.includes(error.fault)) return
      // What is broken in one place is not whole because another takes a write: that takes a restart.
      if (fault?.fault !== 'corrupt') fault = error
    },
    async check() {
      if (fault?.fault === 'corrupt') throw fault
      if (!fault) return
      try {
        await probe()
      } catch (error) {
        // A role that may not make temporary tables has no probe: the next write decides.
        if (translateDatabaseError(error) instanceof DatabaseError) throw error
      }
      fault = undefined
    },
  }
}
