/** The client of an app with what its components share: the cache, the stream and the session. */
import {
  type Client,
  type ClientOptions,
  createClient,
  type Data,
  type ProblemCode,
  type ReadId,
  type Session,
  type StreamEvent,
} from '@matchday/client'
import { type Cache, createCache } from './cache.ts'
import { createStreams, type Streams } from './streams.ts'

export interface MatchdayOptions extends ClientOptions {
  /** What was read within this time is not read again when a component shows it. Milliseconds: 10,000 by default. */
  freshMs?: number | undefined
}

/** For `MatchdayProvider`. Code outside of components calls the API with `api`, then `refresh` to show what it has changed. */
export interface Matchday extends Client {
  cache: Cache
  streams: Streams
  /** Reads again what is shown. */
  refresh(ids?: readonly ReadId[]): void
  sessionState: {
    /** Undefined until the store was read. */
    get(): Session | null | undefined
    subscribe(listener: () => void): () => void
    /** Reads the store again, which another tab may have written. */
    sync(): Promise<void>
    /** Reads it again if the problem says that the session has ended. */
    onProblem(problem: { code: ProblemCode }): void
  }
}

type Match = Data<'readMatch'>
type Question = Data<'listQuestions'>['questions'][number]

/** Events often come in groups. Milliseconds. */
const GROUP_MS = 100
/** A public event reaches a stadium at once, whose requests are spread over this time. Milliseconds. */
const SPREAD_MS = 2_000

/** The reads that a public topic is about. */
const READS: [prefix: string, ids: readonly ReadId[]][] = [
  ['leaderboard', ['readLeaderboard']],
  ['pack:', ['readPack', 'listPacks']],
  ['match:', ['readMatch', 'listMatches']],
  ['question:', ['listQuestions']],
]

export function createMatchday({ freshMs = 10_000, onSessionEnd, ...options }: MatchdayOptions): Matchday {
  const client = createClient({
    ...options,
    onSessionEnd: () => {
      setSession(null, true)
      onSessionEnd?.()
    },
  })
  const { api } = client
  // Guarantee of the cast: `useRead` has checked the input against the operation.
  const call = (id: ReadId, input: object | undefined) =>
    (api[id] as (input?: object) => ReturnType<typeof api.readDashboard>)(input)
  const cache = createCache(call, freshMs, onProblem)
  const streams = createStreams(client.follow, {
    isSignedOut: () => session === null,
    onEvent,
    onEnd: onProblem,
  })
  const listeners = new Set<() => void>()
  let session: Session | null | undefined

  /** `isChange`: what was read is of another fan. The first look into the store is none. */
  function setSession(next: Session | null, isChange = session !== undefined) {
    const isSame = session !== undefined && session?.sessionId === next?.sessionId
    session = next
    if (isSame) return
    if (isChange) cache.clear()
    // Without a session the stream was refused.
    if (isChange || next === null) streams.restart()
    for (const listener of listeners) listener()
  }

  const sync = async () => setSession(await client.session.current())

  /** The session may have ended in another tab, or on another device. */
  function onProblem({ code }: { code: ProblemCode }) {
    if (code === 'unauthenticated' || code === 'invalid_token') void sync()
  }

  /** Gathers what is due in this time. No ids: all. */
  function createRefresher(ms: () => number) {
    let due: ReadId[] | undefined = []
    let isWaiting = false
    return (ids?: readonly ReadId[]) => {
      due = ids && due && [...due, ...ids]
      if (isWaiting) return
      isWaiting = true
      setTimeout(() => {
        const now = due
        due = []
        isWaiting = false
        cache.refresh(now)
      }, ms())
    }
  }
  const refreshSoon = createRefresher(() => GROUP_MS)
  const refreshSpread = createRefresher(() => SPREAD_MS * Math.random())

  function onEvent(event: StreamEvent) {
    if ('status' in event.data && event.type.startsWith('match:')) {
      const { status, homeScore, awayScore } = event.data
      return showScores(event.type.slice('match:'.length), { status, homeScore, awayScore })
    }
    if ('state' in event.data && event.data.state !== null)
      return showQuestion(event.type.slice('question:'.length), event.data)
    const [, reads] = READS.find(([prefix]) => event.type.startsWith(prefix)) ?? []
    if (reads) refreshSpread(reads)
    else refreshSoon()
  }

  /** A goal needs no request. */
  function showScores(matchId: string, scores: Pick<Match, 'status' | 'homeScore' | 'awayScore'>) {
    const change = (match: Match) => (match.id === matchId ? { ...match, ...scores } : match)
    cache.update('readMatch', change)
    cache.update('listMatches', page => ({ ...page, matches: page.matches.map(change) }))
  }

  /** Nobody has to ask again at the close. Results that only some fans see are not in the event, and stay. */
  function showQuestion(
    questionId: string,
    { results, ...asked }: Pick<Question, 'state' | 'results' | 'correct'>,
  ) {
    const change = (question: Question) =>
      question.id === questionId ? { ...question, ...asked, results: results ?? question.results } : question
    cache.update('listQuestions', page => ({ ...page, questions: page.questions.map(change) }))
  }

  return {
    ...client,
    session: {
      ...client.session,
      async signIn(...given) {
        const result = await client.session.signIn(...given)
        if (result.error === null) setSession(await client.session.current(), true)
        return result
      },
      async signOut(...given) {
        const result = await client.session.signOut(...given)
        setSession(null, true)
        return result
      },
    },
    cache,
    streams,
    refresh: cache.refresh,
    sessionState: {
      get: () => session,
      subscribe(listener) {
        listeners.add(listener)
        if (session === undefined) void sync()
        return () => listeners.delete(listener)
      },
      sync,
      onProblem,
    },
  }
}
