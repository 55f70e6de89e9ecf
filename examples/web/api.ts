/** Every request to the API, and nothing else: an app with another client replaces this file. */
import { createClient, type ProblemCode } from 'matchday/client'
import { readSession, removeSession, type Session, saveSession } from './session.ts'

export type { ProblemCode }

/** A problem of the API; `network_error` and `unexpected_response` where there is no answer of it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    readonly code: ProblemCode,
    readonly status: number,
    /** For developers; fans read the words for `code`. */
    detail: string,
  ) {
    super(detail)
  }
}

interface Options {
  headers: Record<string, string>
}
type Failure = { status: number; value: { code: ProblemCode; detail: string } }
// As Eden answers: `data` is null in a failure, and also in a success without a body.
type Answer<T> = Promise<{ data: T; error: null } | { data: null; error: Failure }>

const { api } = createClient(location.origin)

async function unwrap<T>(answer: Answer<T>): Promise<T> {
  const { data, error } = await answer
  if (error) throw new ApiError(error.value.code, error.status, error.value.detail)
  return data
}

/** With the fan's token. A token that is refused is refreshed once; when that fails, the session has ended. */
async function send<T>(request: (options: Options) => Answer<T>, key?: string): Promise<T> {
  const attempt = (token: string | null) =>
    unwrap(
      request({
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
      }),
    )
  const token = await freshToken()
  try {
    return await attempt(token)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    const next = token === null ? null : await renewToken(token)
    if (next === null) throw error
    return await attempt(next).catch(refused => {
      // A token just issued: the account is gone.
      if (refused instanceof ApiError && refused.status === 401) removeSession(true)
      throw refused
    })
  }
}

/** Refresh this long before the token expires, so that no request is refused. Milliseconds. */
const REFRESH_EARLY_MS = 60_000

/** A token that is valid for at least a minute, as this device's clock tells; null after the session has ended. */
export async function freshToken(): Promise<string | null> {
  const session = readSession()
  if (!session) return null
  const isFresh = Date.parse(session.expiresAt) - Date.now() > REFRESH_EARLY_MS
  return isFresh ? session.token : await renewToken(session.token)
}

/** The token after `spent`. Concurrent callers, also of other tabs, share one refresh. */
function renewToken(spent: string): Promise<string | null> {
  return navigator.locks.request('matchday refresh', async () => {
    const session = readSession()
    if (!session || session.token !== spent) return session?.token ?? null
    const { refreshToken } = session
    try {
      const next: Session = await unwrap(api.auth['native-token'].refresh.post({ refreshToken }))
      saveSession(next)
      return next.token
    } catch (error) {
      // Anything but a refusal is temporary: the session stays.
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      removeSession(true)
      return null
    }
  })
}

export const exchangeToken = (accessToken: string): Promise<Session> =>
  unwrap(
    api.auth['native-token'].post(
      { deviceName: 'Matchday in a browser' },
      { headers: { authorization: `Bearer ${accessToken}` } },
    ),
  )

/** Ends the session on the server, if it can be reached, and here. */
export async function signOut(everywhere = false): Promise<void> {
  try {
    await send(options => api.auth.logout.post({ everywhere }, options))
  } catch (error) {
    // Else the other devices would stay signed in without a word.
    if (everywhere) throw error
  }
  removeSession(false)
}

// Reads.
export const readDashboard = () => send(options => api.dashboard.get(options))
export const readOnboarding = () => send(options => api.user.onboarding.get(options))
export const readRewards = () => send(options => api.rewards.get(options))
export const readPacks = () => send(options => api.packs.get(options))
export const readPack = (packId: string) => send(options => api.packs({ packId }).get(options))
export const readQuests = () => send(options => api.quests.get(options))
export const readTeams = () => send(options => api.teams.get(options))
export const readSessions = () => send(options => api.auth.sessions.get(options))
export const readPurchase = (purchaseId: string) =>
  send(options => api.packs.purchases({ purchaseId }).get(options))
export const readOwnPacks = () => send(options => api.user.packs.get({ ...options, query: { limit: '100' } }))
export const readPredictions = () =>
  send(options => api.user.predictions.get({ ...options, query: { limit: '100' } }))
export const readMatches = (query: {
  from?: string
  status?: 'finished'
  teamId?: string
  limit: `${number}`
}) => send(options => api.matches.get({ ...options, query }))
export const readPoints = (cursor?: string) =>
  send(options => api.user.points.get({ ...options, query: { limit: '30', ...(cursor ? { cursor } : {}) } }))
export const readCollection = (cursor?: string) =>
  send(options =>
    api.user.collection.get({ ...options, query: { limit: '100', ...(cursor ? { cursor } : {}) } }),
  )
export type Period = 'all' | 'week' | 'month'
export const readLeaderboard = (period: Period, page: { cursor?: string; around?: 'me' } = {}) =>
  send(options => api.leaderboard.get({ ...options, query: { period, limit: '25', ...page } }))

/** Null before the first write of a fan. */
export async function readProfile() {
  try {
    return await send(options => api.user.profile.get(options))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'profile_not_found') return null
    throw error
  }
}

// Writes. `key` is the `Idempotency-Key`: the same for each attempt at one intent of the fan.
export const join = (key: string) => send(options => api.user.onboarding.post({}, options), key)
export const claimReward = (rewardId: string, key: string) =>
  send(options => api.rewards.claim.post({ rewardId }, options), key)
export const redeemReward = (rewardId: string, key: string) =>
  send(options => api.rewards.redeem.post({ rewardId }, options), key)
export const claimQuest = (quest: { questId: string; periodKey?: string }, key: string) =>
  send(options => api.quests.claim.post(quest, options), key)
export const startPurchase = (packId: string, key: string) =>
  send(options => api.packs.purchase.post({ packId }, options), key)
export const completePurchase = (purchaseId: string, key: string) =>
  send(options => api.packs.purchase.put({ purchaseId }, options), key)
export const openPack = (pack: { userPackId: string; clientSeed: string }, key: string) =>
  send(options => api.packs.open.post(pack, options), key)
export const predict = (
  { matchId, ...scores }: { matchId: string; homeScore: number; awayScore: number },
  key: string,
) => send(options => api.matches({ matchId }).prediction.put(scores, options), key)
export const checkIn = (code: string, key: string) =>
  send(options => api['check-ins'].post({ code }, options), key)
export interface ProfileChange {
  displayName?: string | null
  handle?: string | null
  bio?: string | null
  favoriteTeamId?: string | null
}
export const saveProfile = (change: ProfileChange, key: string) =>
  send(options => api.user.profile.post(change, options), key)
export const endSession = (sessionId: string) =>
  send(options => api.auth.sessions({ sessionId }).delete(undefined, options))

// What the screens are drawn from.
type Of<Read extends (...input: never[]) => Promise<unknown>> = Awaited<ReturnType<Read>>
export type Reward = Of<typeof readRewards>['rewards'][number]
export type Pack = Of<typeof readPacks>['packs'][number]
export type Purchase = Of<typeof readPurchase>
export type UserPack = Of<typeof readOwnPacks>['packs'][number]
export type OpenedPack = Of<typeof openPack>
export type Card = Of<typeof readCollection>['items'][number]
export type Quest = Of<typeof readQuests>['quests'][number]
export type Team = Of<typeof readTeams>['teams'][number]
export type Match = Of<typeof readMatches>['matches'][number]
export type Prediction = Of<typeof readPredictions>['predictions'][number]
export type RankedEntry = Of<typeof readLeaderboard>['entries'][number]
export type PointsEntry = Of<typeof readPoints>['entries'][number]
export type Profile = NonNullable<Of<typeof readProfile>>
