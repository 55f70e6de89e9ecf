/** The native session of this browser: its storage, and listeners for its start and end. */
import { keepIn, type SessionStore } from '@matchday/client'

const KEY = 'matchday session'
const listeners = new Set<() => void>()
let ended = false

export const isSignedIn = () => localStorage.getItem(KEY) !== null

/** Whether the server ended the last session. */
export const hasEnded = () => ended

// Stays when the installed app is closed. An app with stricter needs keeps the refresh token in its own backend.
const kept = keepIn(localStorage, KEY)

export const store: SessionStore = {
  ...kept,
  async write(session) {
    const before = isSignedIn()
    await kept.write(session)
    if (isSignedIn() === before) return
    ended = false
    tell()
  },
}

/** The session was refused, so that the fan has to sign in again. */
export function markEnded(): void {
  ended = true
  tell()
}

/** Calls `listener` when a session begins or ends, in this tab or another. Returns a function that stops it. */
export function watchSession(listener: () => void): () => void {
  const onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    if (key === null || (key === KEY && (oldValue === null || newValue === null))) listener()
  }
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
