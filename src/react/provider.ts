/** Gives the components below it the client and what they share. */
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useEffect } from 'react'
import type { Matchday } from './matchday.ts'

const MatchdayContext = createContext<Matchday | null>(null)

/** `matchday`: of `createMatchday`, made once, outside of components. */
export function MatchdayProvider({
  matchday,
  children,
}: {
  matchday: Matchday
  children?: ReactNode
}): ReactElement {
  useEffect(() => {
    // React Native has none of these.
    if (typeof document === 'undefined') return
    const onVisible = () => document.visibilityState === 'visible' && matchday.cache.revalidate()
    const onStorage = () => void matchday.sessionState.sync()
    document.addEventListener('visibilitychange', onVisible)
    addEventListener('online', onVisible)
    addEventListener('storage', onStorage)
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('online', onVisible)
      removeEventListener('storage', onStorage)
    }
  }, [matchday])
  return createElement(MatchdayContext.Provider, { value: matchday }, children)
}

/** The client, for calls outside of the hooks. @throws Error outside of a provider */
export function useClient(): Matchday {
  const matchday = useContext(MatchdayContext)
  if (matchday) return matchday
  throw new Error('Render this component below a MatchdayProvider.')
}
