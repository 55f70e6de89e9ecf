/** The native session of this browser. `refreshToken` is good once: it is replaced at each refresh. */
export interface Session {
  token: string
  expiresAt: string
  refreshToken: string
}

const KEY = 'matchday session'
const listeners = new Set<() => void>()
let ended = false

// Stays when the installed app is closed. An app with stricter needs keeps the refresh token in its own backend.
export function readSession(): Session | null {
  const stored = localStorage.getItem(KEY)
  return stored === null ? null : (JSON.parse(stored) as Session)
}

export function saveSession(session: Session): void {
  localStorage.setItem(KEY, JSON.stringify(session))
  ended = false
  tell()
}

/** `byServer`: the session was refused, so that the fan has to sign in again. */
export function removeSession(byServer: boolean): void {
  localStorage.removeItem(KEY)
  ended = byServer
  tell()
}

/** Whether the server ended the last session. */
export const hasEnded = () => ended

/** Calls `listener` when a session begins or ends, in this tab or another. Returns a function that stops it. */
export function watchSession(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => key === KEY && listener()
  listeners.add(listener)
  addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', onStorage)
  }
}

function tell(): void {
  for (const listener of listeners) listener()
}
