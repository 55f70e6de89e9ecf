/** The session: the signed-in person and their permissions. */
import { signal } from '@preact/signals'
import type { DataOf } from '../client/requests.ts'
import type { operations } from './generated.ts'
import { clubZone } from './preferences.ts'
import { forgetShown } from './shown.ts'

/** Who is signed in. */
export type Session = DataOf<operations['readSession']>
export type Permission = Session['permissions'][number]

/** Undefined until it is known, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)

/** Whether the session ended while the page was open. `session` stays, so that the screen keeps what was typed. */
export const hasEnded = signal(false)

const RETURN_KEY = 'matchday console return'
const RETURN_WITHIN_MS = 15 * 60_000

/** Keeps the address, so that the next sign-in returns to it, also in another tab. */
export function markSessionEnded(): void {
  if (session.value) hasEnded.value = true
  else session.value = null
  if (location.pathname !== '/')
    localStorage.setItem(
      RETURN_KEY,
      JSON.stringify({ address: location.pathname + location.search, at: Date.now() }),
    )
}

/** Shows the console to this person, in its earlier state if it is the same person. */
export function signedIn(next: Session): void {
  const former = session.value?.staff
  if (former && (former.id !== next.staff.id || former.role !== next.staff.role)) forgetShown()
  session.value = next
  clubZone.value = next.club.timeZone
  hasEnded.value = false
}

/** The address that was open when a session ended, returned once; null if there is none or it is old. */
export function takeReturnAddress(): string | null {
  const kept = localStorage.getItem(RETURN_KEY)
  localStorage.removeItem(RETURN_KEY)
  if (kept === null) return null
  try {
    const { address, at }: { address?: unknown; at?: unknown } = JSON.parse(kept)
    const isFresh = typeof at === 'number' && Date.now() - at < RETURN_WITHIN_MS
    // An address of this site only.
    return isFresh && typeof address === 'string' && /^\/(?![/\\])/.test(address) ? address : null
  } catch {
    return null
  }
}

/** Whether the staff member's role has the permission. Screens hide or disable what it does not allow. */
export const may = (permission: Permission): boolean =>
  session.value?.permissions.includes(permission) ?? false
