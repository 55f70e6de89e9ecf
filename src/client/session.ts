/** The native session of a fan: sign-in, refresh by one request at a time, sign-out. */
import type { Result, Schemas } from './operations.ts'
import { clientFailure } from './problems.ts'
import { callApp } from './transport.ts'

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
  /**
   * Ends the session here, and resolves. The API is informed in the background: `ended` resolves with its
   * response, or null if there was nothing to end. `everywhere`: on all devices.
   */
  signOut(options?: {
    everywhere?: boolean | undefined
  }): Promise<{ ended: Promise<Result<'logOut'> | null> }>
  /** The session as it is kept; null without one, or if the store cannot be read. */
  current(): Promise<Session | null>
  /** A token that is valid now; null without a session, or if it cannot be refreshed now. */
  token(): Promise<string | null>
}

export interface SessionKeeper extends Sessions {
  credentials(): Promise<Credentials>
  /** After the API has refused `refused`: another token. Concurrent callers share one refresh. */
  renew(refused: string): Promise<Credentials>
}

export function createSessions(
  store: SessionStore,
  calls: SessionCalls,
  onEnd: () => void,
  onStoreError: (error: unknown) => void,
): SessionKeeper {
  const kept = guardStore(store, onStoreError)
  let refreshing: Promise<Credentials> | undefined

  async function refresh(refused: string): Promise<Credentials> {
    const changes = kept.changes()
    const before = await kept.read()
    if (before === null || before.token !== refused) return { token: before?.token ?? null }
    const { data, error, response } = await calls.refresh(before.refreshToken)
    // Meanwhile the fan may have signed out, or another tab may have refreshed.
    const now = await kept.read().catch(() => before)
    if (kept.changes() !== changes || now?.refreshToken !== before.refreshToken)
      return { token: (await kept.read())?.token ?? null }
    if (error === null) {
      await kept.write(sessionOf(data))
      return { token: data.token }
    }
    if (error.code !== 'invalid_refresh_token') return { error, response }
    await kept.write(null)
    callApp(onEnd)
    return { token: null }
  }

  function renew(refused: string): Promise<Credentials> {
    const { exclusively = work => work() } = store
    const run = async () => exclusively(() => refresh(refused))
    refreshing ??= run()
      .catch(error => clientFailure('request_not_sent', error))
      .finally(() => {
        refreshing = undefined
      })
    return refreshing
  }

  async function credentials(): Promise<Credentials> {
    let session: Session | null
    try {
      session = await kept.read()
    } catch (error) {
      return clientFailure('request_not_sent', error)
    }
    if (session === null || Date.now() < session.renewAt) return { token: session?.token ?? null }
    const renewed = await renew(session.token)
    // The token is still valid for a moment.
    if (renewed.error && isUsable(session)) return { token: session.token }
    return renewed
  }

  /** With a token of its own if that of the session has expired. Null: the API had ended the session before. */
  async function endAtApi(session: Session, everywhere: boolean): Promise<Result<'logOut'> | null> {
    if (isUsable(session)) {
      const result = await calls.logOut(session.token, everywhere)
      if (result.error?.code !== 'invalid_token') return result
    }
    // The API accepts it also while a refresh that began before is under way.
    const { data, error, response } = await calls.refresh(session.refreshToken)
    if (error === null) return calls.logOut(data.token, everywhere)
    return error.code === 'invalid_refresh_token' ? null : { data: null, error, response }
  }

  return {
    renew,
    credentials,
    current: () => kept.read().catch(() => null),
    async token() {
      const found = await credentials()
      return found.error ? null : found.token
    },
    async signIn(accessToken, { deviceName = 'Matchday client' } = {}) {
      const result = await calls.exchange(accessToken, deviceName)
      if (result.error === null) await kept.write(sessionOf(result.data))
      return result
    },
    async signOut({ everywhere = false } = {}) {
      const session = await kept.read().catch(() => null)
      await kept.write(null)
      return { ended: session === null ? Promise.resolve(null) : endAtApi(session, everywhere) }
    },
  }
}

/** Whether the token is valid, by the clock of the device. */
const isUsable = ({ renewAt }: Session) => Date.now() < renewAt + RENEW_EARLY_MS

/** A store whose failed writes end no session: it then lasts as long as the page or process. */
function guardStore(store: SessionStore, onError: (error: unknown) => void) {
  /** The session that is being written or could not be written. */
  let unsaved: { session: Session | null } | null = null
  let changes = 0
  let writing = Promise.resolve()

  async function save(own: { session: Session | null }) {
    try {
      await store.write(own.session)
      if (unsaved === own) unsaved = null
    } catch (error) {
      callApp(() => onError(error))
    }
  }

  return {
    /** How often this client has written. */
    changes: () => changes,
    /** Rejects with what the store throws. */
    read: async () => (unsaved === null ? store.read() : unsaved.session),
    /** In force at once; in the store when it resolves. Writes follow one another. */
    write(session: Session | null): Promise<void> {
      const own = { session }
      unsaved = own
      changes++
      writing = writing.then(() => save(own))
      return writing
    },
  }
}
