/** The native session of a fan: sign-in, refresh by one request at a time, sign-out. */
import type { Result, Schemas } from './operations.ts'

/** What a store keeps between two starts of an app. */
export interface Session {
  token: string
  /** Valid once: each refresh replaces it. */
  refreshToken: string
  sessionId: string
  /** When the token is refreshed, by the clock of the device. Milliseconds since 1970. */
  renewAt: number
}

type MaybePromise<T> = T | Promise<T>

/** Where the session is kept. `read` is called before each request, `write` with null when the session has ended. */
export interface SessionStore {
  read(): MaybePromise<Session | null>
  write(session: Session | null): MaybePromise<void>
  /** For a store that several tabs or processes share: runs one refresh at a time. */
  exclusively?: (<Result>(refresh: () => Promise<Result>) => Promise<Result>) | undefined
}

/** What `localStorage`, `sessionStorage` and React Native's AsyncStorage have in common. */
interface TextStorage {
  getItem(key: string): MaybePromise<string | null>
  setItem(key: string, value: string): MaybePromise<unknown>
  removeItem(key: string): MaybePromise<unknown>
}

interface Locks {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Keeps the session as JSON in a storage. Text that is no session counts as none. Tabs that share the storage refresh one at
 * a time by the Web Locks API, which React Native and pages over http do not have.
 */
export function keepIn(storage: TextStorage, key = 'matchday-session'): SessionStore {
  return {
    async exclusively(refresh) {
      // Guarantee of the cast: the platform has the method of the standard, or no `locks`.
      const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks }
      return locks ? locks.request(key, refresh) : refresh()
    },
    async read() {
      const text = await storage.getItem(key)
      return text === null ? null : parseSession(text)
    },
    async write(session) {
      await (session ? storage.setItem(key, JSON.stringify(session)) : storage.removeItem(key))
    },
  }
}

function parseSession(text: string): Session | null {
  try {
    const { token, refreshToken, sessionId, renewAt } = JSON.parse(text)
    const isSession =
      typeof token === 'string' && typeof refreshToken === 'string' && typeof renewAt === 'number'
    return isSession ? { token, refreshToken, sessionId, renewAt } : null
  } catch {
    return null
  }
}

/** Forgets the session with the page or process. */
export function keepInMemory(): SessionStore {
  let kept: Session | null = null
  return {
    read: () => kept,
    write: session => {
      kept = session
    },
  }
}

/** Refresh this long before the token expires, so that no request is refused. Milliseconds. */
const RENEW_EARLY_MS = 30_000

// By `expiresIn`: the clock of the device may be wrong, and only needs to run.
const sessionOf = ({ token, refreshToken, sessionId, expiresIn }: Schemas['NativeToken']): Session => ({
  token,
  refreshToken,
  sessionId,
  renewAt: Date.now() + expiresIn * 1000 - RENEW_EARLY_MS,
})

type RefreshFailure = Exclude<
  Extract<Result<'refreshNativeToken'>, { data: null }>['error'],
  { code: 'invalid_refresh_token' }
>

/** The token to send: null without a session, or the reason why the session could not be refreshed. */
type Credentials =
  | { token: string | null; error?: undefined }
  | { error: RefreshFailure; response: Response | null }

export interface SessionCalls {
  exchange(accessToken: string, deviceName: string): Promise<Result<'createNativeToken'>>
  refresh(refreshToken: string): Promise<Result<'refreshNativeToken'>>
  logOut(token: string, everywhere: boolean): Promise<Result<'logOut'>>
}

export interface Sessions {
  /** Exchanges a token of the identity provider for a native session, and keeps it. */
  signIn(
    accessToken: string,
    options?: { deviceName?: string | undefined },
  ): Promise<Result<'createNativeToken'>>
  /** Ends the session here and at the API; `everywhere`: on all devices. Without a connection it ends here alone. */
  signOut(options?: { everywhere?: boolean | undefined }): Promise<Result<'logOut'> | null>
  /** The session as it is kept; null without one. */
  current(): Promise<Session | null>
  /** A token that is valid now; null without a session, or if it cannot be refreshed now. */
  token(): Promise<string | null>
}

export interface SessionKeeper extends Sessions {
  credentials(): Promise<Credentials>
  /** After the API has refused `refused`: another token. Concurrent callers share one refresh. */
  renew(refused: string): Promise<Credentials>
}

export function createSessions(store: SessionStore, calls: SessionCalls, onEnd: () => void): SessionKeeper {
  let refreshing: Promise<Credentials> | undefined

  async function refresh(refused: string): Promise<Credentials> {
    const before = await store.read()
    if (before === null || before.token !== refused) return { token: before?.token ?? null }
    const { data, error, response } = await calls.refresh(before.refreshToken)
    // Meanwhile the fan may have signed out, or another tab may have refreshed.
    const now = await store.read()
    if (now?.refreshToken !== before.refreshToken) return { token: now?.token ?? null }
    if (error === null) {
      await store.write(sessionOf(data))
      return { token: data.token }
    }
    if (error.code !== 'invalid_refresh_token') return { error, response }
    await store.write(null)
    onEnd()
    return { token: null }
  }

  function renew(refused: string): Promise<Credentials> {
    const { exclusively = work => work() } = store
    refreshing ??= exclusively(() => refresh(refused)).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function credentials(): Promise<Credentials> {
    const session = await store.read()
    if (session === null || Date.now() < session.renewAt) return { token: session?.token ?? null }
    const renewed = await renew(session.token)
    // The token is still valid for a moment.
    if (renewed.error && Date.now() < session.renewAt + RENEW_EARLY_MS) return { token: session.token }
    return renewed
  }

  return {
    renew,
    credentials,
    current: async () => store.read(),
    async token() {
      const found = await credentials()
      return found.error ? null : found.token
    },
    async signIn(accessToken, { deviceName = 'Matchday client' } = {}) {
      const result = await calls.exchange(accessToken, deviceName)
      if (result.error === null) await store.write(sessionOf(result.data))
      return result
    },
    async signOut({ everywhere = false } = {}) {
      // Its result is the token to log out with.
      await refreshing
      const found = await credentials()
      await store.write(null)
      if (found.error || found.token === null) return null
      return calls.logOut(found.token, everywhere)
    },
  }
}
