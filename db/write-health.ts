/** Remembers a lasting write failure, so that a health check reports a database that can only be read. */
import { DatabaseError, type DatabaseFault, translateDatabaseError } from './errors.ts'

/**
 * `lasting`: faults that the next write would have too. `probe` writes something and removes it. It runs only after such a
 * fault, and its success ends the fault.
 */
export function createWriteHealth(lasting: DatabaseFault[], probe: () => Promise<void>) {
  let fault: DatabaseError | undefined
  return {
    /** Call with the error of every failed write. */
    record(error: unknown): void {
      if (!(error instanceof DatabaseError) || !lasting.includes(error.fault)) return
      // A successful probe writes elsewhere and does not prove the damaged page sound: `corrupt` stays until a restart.
      if (fault?.fault !== 'corrupt') fault = error
    },
    /** Resolves when writes succeed, as far as is known. @throws DatabaseError while they fail */
    async check(): Promise<void> {
      if (fault?.fault === 'corrupt') throw fault
      if (!fault) return
      try {
        await probe()
      } catch (error) {
        // A role without the right to create temporary tables cannot run the probe: the next write decides.
        if (translateDatabaseError(error) instanceof DatabaseError) throw error
      }
      fault = undefined
    },
  }
}
