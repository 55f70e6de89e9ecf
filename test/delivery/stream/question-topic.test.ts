/** The topic of a question carries what everyone may know of it: nobody has to ask again, also at the close. */
import { afterEach, beforeAll, expect, test } from 'bun:test'
import { createClient, type StreamEvent } from '../../../src/client/index.ts'
import { answerQuestion, closeQuestion } from '../../../src/play/questions/change.ts'
import { questionKind } from '../../../src/play/questions/question-kind.ts'
import { patientFan } from '../../play/packs/packs-world.ts'
import { addQuestion, MINUTE, readQuestion, vote } from '../../play/questions/questions-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { closeStreams, openStream } from './stream-world.ts'

onEachEngine('The topic of a question', world => {
  let origin: string

  beforeAll(() => {
    world.app.listen({ hostname: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${world.app.server?.port}`
  })
  afterEach(async () => {
    closeStreams()
    await waitUntil('the server noticed', () => world.deps.streams.size === 0)
  })

  const votesOf = (home: number, away = 0) => [
    { optionId: 'home', votes: home },
    { optionId: 'draw', votes: 0 },
    { optionId: 'away', votes: away },
  ]
  async function follow(id: string) {
    const stream = await openStream(origin, `topics=question:${id}`)
    await stream.nth(2)
    return {
      stream,
      received: () => stream.named(`question:${id}`).map(({ data }) => data),
      last: () => stream.named(`question:${id}`).at(-1)?.data,
    }
  }

  test('has the tally after each vote where everyone may see it', async () => {
    const id = await addQuestion(world, { results: 'live', changeable: true })
    const { received } = await follow(id)
    expect(received()).toEqual([{ state: 'open', results: votesOf(0), correct: null }])
    const fan = await patientFan(world)
    await vote(fan, id, 'home')
    await waitUntil('the vote was sent', () => received().length === 2)
    await vote(fan, id, 'away')
    await waitUntil('the change was sent', () => received().length === 3)
    expect(received().slice(1)).toEqual([
      { state: 'open', results: votesOf(1), correct: null },
      { state: 'open', results: votesOf(0, 1), correct: null },
    ])
  })

  test.each(['after_vote', 'after_close'] as const)(
    'hides results of the rule %s until the close, and then has the final tally',
    async results => {
      const id = await addQuestion(world, { results, correct: 'home' })
      const { received } = await follow(id)
      for (const option of ['home', 'away']) await vote(await patientFan(world), id, option)
      world.clock.advance(MINUTE)
      const final = { state: 'settled', results: votesOf(1, 1), correct: 'home' }
      await waitUntil('the close was sent', () => received().length === 2)
      expect(received()).toEqual([{ state: 'open', results: null, correct: null }, final])
      // The list has the same: there is no reason to read it.
      expect(await readQuestion(world.anonymous, id)).toMatchObject(final)
    },
  )

  test('tells a close by hand, the answer, and another answer', async () => {
    const id = await addQuestion(world, { results: 'after_close' })
    const { received, last } = await follow(id)
    await vote(await patientFan(world), id, 'away')
    await world.db.write(tx => closeQuestion(tx, id))
    await waitUntil('the close was sent', () => last().state === 'closed')
    expect(last()).toEqual({ state: 'closed', results: votesOf(0, 1), correct: null })
    for (const answer of ['home', 'away', null]) {
      await world.db.write(tx => answerQuestion(tx, id, answer))
      await waitUntil('the answer was sent', () => last().correct === answer)
    }
    expect(received().map(({ state }) => state)).toEqual(['open', 'closed', 'settled', 'settled', 'closed'])
  })

  test('shows viewers of a delayed stream the opening and the close later', async () => {
    const at = (ms: number) => new Date(world.clock.ms + ms).toISOString()
    const id = await addQuestion(world, {
      results: 'live',
      opensAt: at(1_000),
      closesAt: at(20_000),
      offsetMs: 30_000,
    })
    const { received, last } = await follow(id)
    expect(last().state).toBe('scheduled')
    world.clock.advance(1_000)
    await vote(await patientFan(world), id, 'home')
    await waitUntil('the vote was sent', () => received().length === 2)
    expect(last()).toEqual({ state: 'scheduled', results: votesOf(1), correct: null })
    world.clock.advance(30_000)
    await waitUntil('the opening was sent', () => last().state === 'open')
    world.clock.advance(18_999)
    // Is sent before a change of the state would be.
    const late = await addQuestion(world, { results: 'live' })
    const other = await follow(late)
    await vote(await patientFan(world), late, 'home')
    await waitUntil('the vote was sent', () => other.received().length === 2)
    expect(last().state).toBe('open')
    world.clock.advance(1)
    await waitUntil('the close was sent', () => last().state === 'closed')
  })

  test('is sent at most four times a second, and ends with the last tally', async () => {
    const id = await addQuestion(world, { results: 'live' })
    const { received, last } = await follow(id)
    const fans = await Promise.all(Array.from({ length: 24 }, () => patientFan(world)))
    const started = performance.now()
    for (const fan of fans) await vote(fan, id, 'home')
    await waitUntil('the last vote was sent', () => last().results[0].votes === fans.length)
    const seconds = (performance.now() - started) / 1_000
    expect(received().length - 1).toBeLessThanOrEqual(Math.floor(seconds * 4) + 1)
  })

  test('is refused without such a question, and says when the question is switched off', async () => {
    const { status, body } = await world.anonymous.get('/api/stream?topics=question:no-such')
    expect([status, body.code]).toEqual([404, 'question_not_found'])
    const id = await addQuestion(world)
    const { received } = await follow(id)
    await world.db.write(tx => questionKind.deactivate(tx, id))
    await waitUntil('it was sent', () => received().length === 2)
    expect(received()[1]).toEqual({ state: null, results: null, correct: null })
  })

  test('reaches all of many followers, in their order', async () => {
    const id = await addQuestion(world, { results: 'live' })
    const followers = await Promise.all(Array.from({ length: 230 }, () => follow(id)))
    for (const option of ['home', 'away']) {
      await vote(await patientFan(world), id, option)
      await waitUntil('all have it', () =>
        followers.every(({ last }) =>
          last().results.some(
            (one: { optionId: string; votes: number }) => one.optionId === option && one.votes === 1,
          ),
        ),
      )
    }
    for (const { received } of followers) expect(received().at(-1).results).toEqual(votesOf(1, 1))
  })

  test('lets many clients show the close and the answer without a request', async () => {
    const id = await addQuestion(world, { results: 'after_close', correct: 'home' })
    let requests = 0
    const counted = (...sent: Parameters<typeof fetch>) => {
      requests++
      return fetch(...sent)
    }
    const followers = Array.from({ length: 200 }, () => {
      const events: StreamEvent[] = []
      const { follow } = createClient({ origin, fetch: counted })
      return { events, close: follow([`question:${id}`], event => events.push(event)) }
    })
    const haveAll = (state: string) =>
      followers.every(({ events }) =>
        events.some(({ type, data }) => type === `question:${id}` && 'state' in data && data.state === state),
      )
    try {
      await waitUntil('all follow', () => haveAll('open'))
      for (const option of ['home', 'away', 'away']) await vote(await patientFan(world), id, option)
      world.clock.advance(MINUTE)
      await waitUntil('all have the close', () => haveAll('settled'))
      for (const { events } of followers)
        expect(events.at(-1)?.data).toEqual({ state: 'settled', results: votesOf(1, 2), correct: 'home' })
      expect(requests).toBe(followers.length)
    } finally {
      for (const { close } of followers) close()
    }
  })
})
