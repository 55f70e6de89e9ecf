/** The session of the fan, for showing different content to signed-in and anonymous users. */
import type { Sessions } from '@matchday/client'
import { useSyncExternalStore } from 'react'
import { useClient } from './provider.ts'

export interface SessionState extends Pick<Sessions, 'signIn' | 'signOut'> {
  /** `loading` until the store was read, and on a server. */
  status: 'loading' | 'signed-in' | 'signed-out'
}

const getUnknown = () => undefined

/** `signIn` exchanges a token of the identity provider. A change of the fan forgets everything that was read. */
export function useSession(): SessionState {
  const { session, sessionState } = useClient()
  const current = useSyncExternalStore(sessionState.subscribe, sessionState.get, getUnknown)
  const status = current === undefined ? 'loading' : current ? 'signed-in' : 'signed-out'
  return { status, signIn: session.signIn, signOut: session.signOut }
}
