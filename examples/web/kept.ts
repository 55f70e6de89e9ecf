/** What this device keeps of the server’s responses until the session ends, in groups with their age: it is there without a network. */
import { isSignedIn, watchSession } from './session.ts'

export interface Kept<T> {
  /** When the server said so. */
  asOf: string
  passes: T[]
}

/** `key`: its place in the storage. */
export function createKeeper<T>(key: string) {
  /** Groups of earlier sessions are not written: a response may arrive after its session has ended. */
  let era = 0

  function forget(): void {
    era++
    localStorage.removeItem(key)
  }

  watchSession(forget)
  // It may have ended while no page was open.
  if (!isSignedIn()) forget()

  function readAll(): Record<string, Kept<T>> {
    try {
      // Guarantee of the cast: only `begin` writes it.
      return JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, Kept<T>>
    } catch {
      return {}
    }
  }

  return {
    /** Call it before the request. The returned function replaces what a group has by what the response says. */
    begin(): (group: string, passes: T[]) => void {
      const begun = era
      return (group, passes) => {
        if (era !== begun || !isSignedIn()) return
        const { [group]: _, ...others } = readAll()
        const kept = { asOf: new Date().toISOString(), passes }
        try {
          localStorage.setItem(
            key,
            JSON.stringify(passes.length === 0 ? others : { ...others, [group]: kept }),
          )
        } catch {
          // The storage is full or forbidden: it needs a network.
        }
      }
    },
    find: (group: string): Kept<T> | undefined => readAll()[group],
    list: (): Kept<T>[] => Object.values(readAll()),
  }
}
