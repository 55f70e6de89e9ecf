/** The parts of @matchday/react without React: the cache, the shared stream and the session. */
import { afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { Topic } from '@matchday/client'
import { updateMatch } from '../../src/club/matches/update-match.ts'
import { closeQuestion } from '../../src/play/questions/change.ts'
import { createMatchday, type Matchday, type MatchdayOptions } from '../../src/react/matchday.ts'
import { patientFan } from '../play/packs/packs-world.ts'
import { addQuestion, vote } from '../play/questions/questions-world.ts'
import { sqliteEngine } from '../support/engines.ts'
import { turns, waitUntil } from '../support/wait-until.ts'
import { onEngine } from '../support/world.ts'

type Fetch = NonNullable<MatchdayOptions['fetch']>

/** `fetch` that notes paths, and holds requests to those that are in `held`. */
function watchedFetch() {
  const sent: string[] = []
  const streams: AbortSignal[] = []
  const held = new Map<string, () => Promise<unknown>>()
  const watched: Fetch = async (url, init) => {
    const { pathname, search } = new URL(url)
    sent.push(pathname + search)
    if (pathname === '/api/stream' && init.signal) streams.push(init.signal)
    const response = await fetch(url, init)
    await held.get(pathname)?.()
    return response
  }
  return {
    fetch: watched,
    held,
    /** Streams that the app has not ended. */
    open: () => streams.filter(({ aborted }) => !aborted).length,
    count: (start: string) => sent.filter(path => path.startsWith(start)).length,
    streams: () =>
      sent.filter(path => path.startsWith('/api/stream')).map(path => decodeURIComponent(path.slice(19))),
  }
}

onEngine(sqliteEngine, 'What the components of an app share', world => {
  let origin: string
  let network: ReturnType<typeof watchedFetch>
  let matchday: Matchday
  let ends: (() => unknown)[]
  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
  })
  beforeEach(() => {
    network = watchedFetch()
    ends = []
    matchday = createMatchday({ origin, fetch: network.fetch, retries: 0 })
  })
  afterEach(async () => {
    setSystemTime()
    for (const end of ends) end()
    await turns(5)
  })

  const show = (entry: { subscribe(listener: () => void): () => void }, listener = () => {}) => {
    const end = entry.subscribe(listener)
    ends.push(end)
    return end
  }
  const follow = (topics: Topic[]) => {
    const seen: string[] = []
    const connections: boolean[] = []
    const end = matchday.streams.add({
      topics,
      onEvent: ({ type }) => seen.push(type),
      onConnection: isOpen => connections.push(isOpen),
    })
    ends.push(end)
    return { seen, connections, end }
  }
  const signIn = async (fan: { subject: string }) => {
    const { error } = await matchday.session.signIn(await world.idp.issueToken(fan.subject))
    expect(error).toBeNull()
  }
  const dashboard = () => matchday.cache.entryOf('readDashboard', undefined)
  /** Resolves once nothing is read. */
  const settled = (entry = dashboard()) => waitUntil('it was read', () => !entry.get().isReading)
  const pointsOf = (entry = dashboard()) => (entry.get().data as { points: number } | null)?.points

  describe('a read', () => {
    test('sends one request for all components that show it at the same time, and none for a component that shows it soon after', async () => {
      await signIn(await world.fan())
      const told: number[] = []
      for (const _ of [1, 2, 3]) show(dashboard(), () => told.push(1))
      expect(dashboard().get()).toEqual({ data: null, error: null, isReading: true })
      await settled()
      expect(told).toHaveLength(3)
      show(dashboard())
      expect(dashboard().get()).toMatchObject({ data: { points: 0 }, error: null, isReading: false })
      expect(network.count('/api/dashboard')).toBe(1)
    })

    test('with another input is another read', async () => {
      const [one, other] = [{ lang: 'en' }, { lang: 'pt' }].map(input =>
        matchday.cache.entryOf('listTeams', input),
      )
      if (!one || !other) throw new Error('unreachable')
      expect(matchday.cache.entryOf('listTeams', { lang: 'en' })).toBe(one)
      expect(other).not.toBe(one)
      show(one)
      show(other)
      await settled(one)
      await settled(other)
      expect(network.count('/api/teams')).toBe(2)
    })

    test('is shown immediately, and repeated if it may be outdated', async () => {
      const fan = await world.fan()
      await signIn(fan)
      show(dashboard())()
      await settled()
      await world.grant(fan, 20)
      setSystemTime(new Date(Date.now() + 11_000))
      show(dashboard())
      expect(dashboard().get()).toMatchObject({ data: { points: 0 }, isReading: true })
      await settled()
      expect(pointsOf()).toBe(20)
    })

    test('that fails keeps the earlier data, has the error, and is repeated by the next component that shows it', async () => {
      const fan = await world.fan()
      await signIn(fan)
      const end = show(dashboard())
      await settled()
      network.held.set('/api/dashboard', () => Promise.reject(new TypeError('the connection was cut')))
      dashboard().refresh()
      await settled()
      expect(dashboard().get()).toMatchObject({ data: { points: 0 }, error: { code: 'network_error' } })
      network.held.clear()
      end()
      show(dashboard())
      await settled()
      expect(dashboard().get()).toMatchObject({ data: { points: 0 }, error: null })
    })

    test('that has never succeeded has an error and no data', async () => {
      const fetch = () => Promise.reject(new TypeError('offline'))
      const unread = createMatchday({ origin, retries: 0, fetch }).cache.entryOf('listTeams', undefined)
      show(unread)
      await settled(unread)
      expect(unread.get()).toMatchObject({ data: null, error: { code: 'network_error' }, isReading: false })
    })

    test('with a response that is not JSON returns a problem, and does not throw', async () => {
      // What JavaScript can pass.
      const input = { lang: 1n }
      const entry = matchday.cache.entryOf('listTeams', input)
      show(entry)
      await settled(entry)
      expect(entry.get().error).not.toBeNull()
    })

    test('that is no longer shown is removed beyond 200, the oldest first; a shown one stays', async () => {
      const entryOf = (handle: string) => matchday.cache.entryOf('readFan', { handle })
      const [shown, hidden] = [entryOf('shown'), entryOf('hidden')]
      show(shown)
      for (let nth = 0; nth < 200; nth++) entryOf(`fan-${nth}`)
      expect(entryOf('shown')).toBe(shown)
      const later = entryOf('fan-150')
      expect(entryOf('hidden')).not.toBe(hidden)
      expect(entryOf('fan-150')).toBe(later)
    })
  })

  describe('after a change', () => {
    test('shown reads are repeated immediately, and the others when they are shown', async () => {
      const fan = await world.fan()
      await signIn(fan)
      const rewards = matchday.cache.entryOf('listRewards', undefined)
      show(dashboard())
      show(rewards)()
      await settled()
      await settled(rewards)
      await world.grant(fan, 30)
      matchday.refresh()
      await settled()
      expect([pointsOf(), pointsOf(rewards)]).toEqual([30, 0])
      expect(network.count('/api/rewards')).toBe(1)
      show(rewards)
      await settled(rewards)
      expect(pointsOf(rewards)).toBe(30)
    })

    test('only the named operations are repeated', async () => {
      await signIn(await world.fan())
      const rewards = matchday.cache.entryOf('listRewards', undefined)
      for (const entry of [dashboard(), rewards]) show(entry)
      await settled()
      await settled(rewards)
      matchday.refresh(['listRewards'])
      await settled(rewards)
      expect([network.count('/api/dashboard'), network.count('/api/rewards')]).toEqual([1, 2])
    })

    test('a response to an earlier request is ignored', async () => {
      const fan = await world.fan()
      await signIn(fan)
      const { promise, resolve } = Promise.withResolvers<void>()
      network.held.set('/api/dashboard', () => promise)
      show(dashboard())
      await waitUntil('the API has answered', () => network.count('/api/dashboard') === 1)
      await turns(20)
      await world.grant(fan, 40)
      network.held.clear()
      matchday.refresh()
      await settled()
      expect(pointsOf()).toBe(40)
      resolve()
      await turns(20)
      expect(pointsOf()).toBe(40)
    })
  })

  describe('the session', () => {
    test('is unknown first, and then the one of the store', async () => {
      const told: unknown[] = []
      expect(matchday.sessionState.get()).toBeUndefined()
      const { get, subscribe } = matchday.sessionState
      ends.push(subscribe(() => told.push(get()?.sessionId ?? null)))
      await waitUntil('the store was read', () => told.length === 1)
      await signIn(await world.fan())
      const { sessionId } = (await matchday.session.current()) ?? {}
      expect(told).toEqual([null, sessionId ?? ''])
      await matchday.session.signOut()
      expect(told.at(-1)).toBeNull()
    })

    test('another fan sees no data of the first fan, also not from a late response', async () => {
      const [first, second] = [await world.fan(), await world.fan()]
      await world.grant(first, 70)
      await signIn(first)
      show(dashboard())
      await settled()
      expect(pointsOf()).toBe(70)
      const { promise, resolve } = Promise.withResolvers<void>()
      network.held.set('/api/dashboard', () => promise)
      dashboard().refresh()
      await waitUntil('the API has answered', () => network.count('/api/dashboard') === 2)
      await turns(20)
      network.held.clear()
      await matchday.session.signOut()
      expect(dashboard().get()).toMatchObject({ data: null })
      resolve()
      await settled()
      expect(dashboard().get()).toMatchObject({ data: null, error: { code: 'unauthenticated' } })
      await signIn(second)
      await settled()
      expect(pointsOf()).toBe(0)
    })

    test('that ended elsewhere is noticed by the next read', async () => {
      let ended = 0
      matchday = createMatchday({ origin, fetch: network.fetch, onSessionEnd: () => ended++ })
      const fan = await world.fan()
      await signIn(fan)
      ends.push(matchday.sessionState.subscribe(() => {}))
      await fan.post('/api/auth/logout', { everywhere: true })
      show(dashboard())
      await waitUntil('the app knows', () => matchday.sessionState.get() === null)
      expect(ended).toBe(1)
    })
  })

  describe('the stream', () => {
    test('is shared by all components, with all their topics, and opened again when these change', async () => {
      await signIn(await world.fan())
      const [mine, board, both] = [follow(['me']), follow(['leaderboard']), follow(['leaderboard', 'me'])]
      await waitUntil('it is open', () => [mine, board, both].every(({ connections }) => connections.at(-1)))
      await waitUntil('it has begun', () => both.seen.includes('reset') && board.seen.includes('leaderboard'))
      expect(network.streams()).toEqual(['leaderboard,me'])
      expect(mine.seen).toEqual(['reset'])
      both.end()
      await turns(5)
      expect(network.streams()).toHaveLength(1)
      board.end()
      await waitUntil('there is another one', () => network.streams().length === 2)
      expect([network.streams()[1], network.open()]).toEqual(['me', 1])
      mine.end()
      await turns(5)
      expect([network.streams().length, network.open()]).toEqual([2, 0])
    })

    test('repeats the shown reads after an event of the fan', async () => {
      const fan = await world.fan()
      await signIn(fan)
      const { seen } = follow(['me'])
      show(dashboard())
      await waitUntil('it has begun', () => seen.includes('reset') && network.count('/api/dashboard') === 2)
      await settled()
      await world.grant(fan, 25)
      await waitUntil('the points are shown', () => pointsOf() === 25)
      expect(seen).toContain('points.changed')
      expect(network.count('/api/dashboard')).toBe(3)
    })

    test('changes the scores of a match without a request', async () => {
      const [id, another] = [await world.match(), await world.match()]
      const [one, all] = [
        matchday.cache.entryOf('readMatch', { matchId: id }),
        matchday.cache.entryOf('listMatches', {}),
      ]
      show(one)
      show(all)
      const { seen } = follow([`match:${id}`])
      // Data that was shown before the stream began is read again.
      await waitUntil('it has begun', () => seen.includes('reset') && network.count('/api/matches') === 4)
      await settled(one)
      await settled(all)
      const { kickoffAt, revision } = one.get().data as { kickoffAt: string; revision: number }
      await world.db.write(tx =>
        updateMatch(tx, id, {
          revision: revision + 1,
          status: 'live',
          kickoffAt,
          homeScore: 2,
          awayScore: 1,
        }),
      )
      const scores = { status: 'live', homeScore: 2, awayScore: 1 }
      await waitUntil('the goal is shown', () => (one.get().data as { homeScore: number }).homeScore === 2)
      expect(one.get().data).toMatchObject({ id, ...scores })
      const { matches } = all.get().data as { matches: { id: string }[] }
      expect(matches.find(match => match.id === id)).toMatchObject(scores)
      expect(matches.find(match => match.id === another)).toMatchObject({ homeScore: null })
      expect(network.count('/api/matches')).toBe(4)
    })

    test('changes the results of a question without a request, also at its close', async () => {
      const fan = await patientFan(world)
      await signIn(fan)
      const [id, another] = [
        await addQuestion(world, { results: 'after_vote' }),
        await addQuestion(world, { results: 'live' }),
      ]
      await vote(fan, id, 'home')
      const all = matchday.cache.entryOf('listQuestions', {})
      show(all)
      const { seen } = follow([`question:${id}`, `question:${another}`])
      await waitUntil('it has begun', () => seen.includes('reset') && network.count('/api/questions') === 2)
      await settled(all)
      type Shown = { id: string; state: string; results: { optionId: string; votes: number }[] | null }
      const shown = (questionId: string) =>
        (all.get().data as { questions: Shown[] }).questions.find(question => question.id === questionId)
      // The stream does not have these results, which only those who have voted may see.
      const own = shown(id)?.results
      expect(own).toContainEqual({ optionId: 'home', votes: 1 })
      await vote(await patientFan(world), another, 'away')
      await waitUntil('the vote is shown', () => shown(another)?.results?.at(-1)?.votes === 1)
      expect(shown(id)).toMatchObject({ state: 'open', results: own })
      await vote(await patientFan(world), id, 'away')
      await world.db.write(tx => closeQuestion(tx, id))
      await waitUntil('the close is shown', () => shown(id)?.state === 'closed')
      expect(shown(id)?.results?.at(-1)).toEqual({ optionId: 'away', votes: 1 })
      expect(network.count('/api/questions')).toBe(2)
    })

    test('has only public topics before the sign-in, and all topics after it', async () => {
      const mine = follow(['me'])
      const board = follow(['leaderboard'])
      await waitUntil('the public ones are followed', () => board.seen.includes('leaderboard'))
      expect(network.streams().at(-1)).toBe('leaderboard')
      await signIn(await world.fan())
      await waitUntil('all are followed', () => mine.seen.includes('reset'))
      expect(network.streams().at(-1)).toBe('leaderboard,me')
      await matchday.session.signOut()
      await waitUntil('the public ones are followed', () => network.streams().at(-1) === 'leaderboard')
    })
  })
})
