/** Questions: votes, what is shown, and when. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { findWrongQuestions, findWrongTallies } from '../../../src/audit/play/verify-questions.ts'
import { playerKind } from '../../../src/club/players/player-kind.ts'
import { sponsorKind } from '../../../src/club/sponsors/sponsor-kind.ts'
import { questionKind } from '../../../src/play/questions/question-kind.ts'
import { settleQuestions } from '../../../src/play/questions/settle.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus, patientFan, refusal, userIdOf } from '../packs/packs-world.ts'
import { addQuestion, MINUTE, readQuestion, sendVote, vote, votesIn } from './questions-world.ts'

onEachEngine('A vote', world => {
  const sound = async () => {
    expect(await findWrongTallies(world.db.read)).toEqual([])
    expect(await findWrongQuestions(world.db.read)).toEqual([])
  }

  test('is of one fan, and the same one again is accepted', async () => {
    const fan = await world.fan()
    const id = await addQuestion(world)
    const body = await vote(fan, id, 'home')
    expect(body).toMatchObject({ id, state: 'open', myVote: 'home', correct: null })
    expect(votesIn(body)).toEqual({ home: 1, draw: 0, away: 0 })
    world.clock.advance(1_000)
    expect(await vote(fan, id, 'home')).toEqual(body)
    expect(refusal(await sendVote(fan, id, 'away'))).toEqual([409, 'already_voted'])
    expect(votesIn(await readQuestion(fan, id))).toEqual({ home: 1, draw: 0, away: 0 })
    await sound()
  })

  test('changes until the close if the question allows it, and counts once', async () => {
    const fan = await patientFan(world)
    const id = await addQuestion(world, { changeable: true, results: 'live' })
    await vote(fan, id, 'home')
    expect(votesIn(await vote(fan, id, 'away'))).toEqual({ home: 0, draw: 0, away: 1 })
    world.clock.advance(MINUTE - 1)
    await vote(fan, id, 'draw')
    world.clock.advance(1)
    expect(refusal(await sendVote(fan, id, 'home'))).toEqual([409, 'question_closed'])
    expect(refusal(await sendVote(fan, id, 'draw'))).toEqual([409, 'question_closed'])
    expect(votesIn(await readQuestion(world.anonymous, id))).toEqual({ home: 0, draw: 1, away: 0 })
    await sound()
  })

  test('is refused before the question opens, and after it was switched off', async () => {
    const fan = await world.fan()
    const opensAt = new Date(world.clock.ms + 1_000).toISOString()
    const id = await addQuestion(world, { opensAt })
    expect(refusal(await sendVote(fan, id, 'home'))).toEqual([409, 'question_closed'])
    expect((await readQuestion(fan, id)).state).toBe('scheduled')
    world.clock.advance(1_000)
    await vote(fan, id, 'home')
    await world.db.write(tx => questionKind.deactivate(tx, id))
    expect(refusal(await sendVote(fan, id, 'home'))).toEqual([404, 'question_not_found'])
    expect(await readQuestion(fan, id)).toBeUndefined()
    expect(refusal(await sendVote(fan, 'nothing', 'home'))).toEqual([404, 'question_not_found'])
  })

  test.each([
    ['an unknown option', { optionId: 'nobody' }, '/optionId'],
    ['a rating', { rating: 1 }, '/rating'],
    ['nothing', {}, '/optionId'],
  ])('for %s is not valid', async (_, body, pointer) => {
    const id = await addQuestion(world)
    const answer = await (await world.fan()).put(`/api/questions/${id}/vote`, body)
    expect([...refusal(answer), answer.body.errors[0].pointer]).toEqual([422, 'validation_failed', pointer])
  })

  test('for a scale is a number', async () => {
    const fan = await world.fan()
    const id = await addQuestion(world, { kind: 'rating', options: { scale: 5 } })
    const rate = (body: object) => fan.put(`/api/questions/${id}/vote`, body)
    for (const body of [{ rating: 6 }, { optionId: '5' }, { rating: 0 }])
      expect(refusal(await rate(body))).toEqual([422, 'validation_failed'])
    const rated = expectStatus(200, await rate({ rating: 5 }))
    expect(rated).toMatchObject({ scale: 5, options: [], myVote: 5 })
    expect(votesIn(rated)).toEqual({ 1: 0, 2: 0, 3: 0, 4: 0, 5: 1 })
  })

  test('for a player is one of the active players of the team', async () => {
    const teamId = await world.team()
    await world.db.write(async tx => {
      for (const [id, name] of [
        [`${teamId}-one`, 'Ana'],
        [`${teamId}-two`, 'Bea'],
      ] as const)
        await playerKind.upsert(tx, { id, teamId, name: { en: name, pt: `${name} P` } })
    })
    const fan = await world.fan()
    const id = await addQuestion(world, { kind: 'player', options: { team: teamId }, results: 'live' })
    expect((await readQuestion(world.anonymous, id)).options).toEqual([
      { id: `${teamId}-one`, text: 'Ana', imageUrl: null },
      { id: `${teamId}-two`, text: 'Bea', imageUrl: null },
    ])
    expect(refusal(await sendVote(fan, id, 'home'))).toEqual([422, 'validation_failed'])
    expect((await vote(fan, id, `${teamId}-one`)).options).toHaveLength(2)
    // A vote stays in the results.
    await world.db.write(tx => playerKind.deactivate(tx, `${teamId}-one`))
    expect(votesIn(await readQuestion(world.anonymous, id))).toEqual({
      [`${teamId}-one`]: 1,
      [`${teamId}-two`]: 0,
    })
  })

  test('needs what the question requires, and the list says what is missing', async () => {
    const fan = await patientFan(world)
    const id = await addQuestion(world, { requires: { points: 10, countries: ['PT'] } })
    expect((await readQuestion(fan, id)).blockedBy).toEqual(['not_sold_there', 'insufficient_points'])
    expect((await readQuestion(world.anonymous, id)).blockedBy).toBeUndefined()
    expect(refusal(await sendVote(fan, id, 'home'))).toEqual([409, 'not_sold_there'])
    expectStatus(201, await fan.post('/api/user/profile', { country: 'PT' }))
    expect(refusal(await sendVote(fan, id, 'home'))).toEqual([409, 'insufficient_points'])
    await world.grant(fan, 10)
    await vote(fan, id, 'home')
    expect((await readQuestion(fan, id)).blockedBy).toEqual([])
  })

  test('is an event once, and is listed for the fan alone', async () => {
    const fan = await patientFan(world)
    const matchId = await world.match()
    const id = await addQuestion(world, { changeable: true, matchId })
    await vote(fan, id, 'home')
    world.clock.advance(1_000)
    await vote(fan, id, 'away')
    const { events } = world.db.tables
    const told = await world.db.read
      .select()
      .from(events)
      .where(eq(events.userId, (await userIdOf(world, fan)) ?? ''))
    expect(
      told.filter(({ type }) => type === 'question.voted').map(({ data }) => JSON.parse(data ?? '')),
    ).toEqual([{ questionId: id, matchId, kind: 'prediction' }])
    const votedAt = world.clock.now().toISOString()
    const own = { questionId: id, optionId: 'away', votedAt, settled: null }
    expect((await fan.get('/api/user/votes')).body).toEqual({ votes: [own], nextCursor: null })
    expect((await (await world.fan()).get('/api/user/votes')).body.votes).toEqual([])
  })
})

onEachEngine('Results of a question', world => {
  test.each([
    ['live', [true, true, true]],
    ['after_vote', [false, true, true]],
    ['after_close', [false, false, true]],
  ] as const)('are shown by the rule %s in every read', async (results, [before, voted, closed]) => {
    const [fan, other] = [await patientFan(world), await patientFan(world)]
    const id = await addQuestion(world, { results, correct: 'home' })
    const all = { home: 1, draw: 0, away: 0 }
    const answered = await vote(fan, id, 'home')
    expect(votesIn(answered)).toEqual(voted ? all : null)
    for (const [client, isShown] of [
      [world.anonymous, before],
      [other, before],
      [fan, voted],
    ] as const) {
      const shown = await readQuestion(client, id)
      expect([votesIn(shown), shown.correct]).toEqual([isShown ? all : null, null])
    }
    world.clock.advance(MINUTE)
    for (const client of [world.anonymous, other, fan]) {
      const shown = await readQuestion(client, id)
      expect([votesIn(shown), shown.correct, shown.state]).toEqual([closed ? all : null, 'home', 'settled'])
    }
  })

  test('are shown later for viewers of a delayed stream, and votes are judged without the delay', async () => {
    const fan = await world.fan()
    const id = await addQuestion(world, {
      ...{ offsetMs: 30_000, results: 'after_close', correct: 'home', points: 10 },
    })
    const state = async () => {
      const { state, correct, results } = await readQuestion(world.anonymous, id)
      return [state, correct, results === null]
    }
    expect(await state()).toEqual(['scheduled', null, true])
    await vote(fan, id, 'home')
    world.clock.advance(30_000)
    expect(await state()).toEqual(['open', null, true])
    world.clock.advance(MINUTE - 30_000)
    expect(refusal(await sendVote(await world.fan(), id, 'home'))).toEqual([409, 'question_closed'])
    expect(await state()).toEqual(['open', null, true])
    // Points would tell the answer.
    await settleQuestions(world.deps)
    expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 0, entries: [] })
    const { body } = await world.anonymous.get('/api/questions?open=true&limit=100')
    expect(body.questions.map((question: { id: string }) => question.id)).toContain(id)
    world.clock.advance(30_000)
    expect(await state()).toEqual(['settled', 'home', false])
    await settleQuestions(world.deps)
    expect((await fan.get('/api/user/points')).body.balance).toBe(10)
  })
})

onEachEngine(
  'GET /api/questions',
  world => {
    test('is paged, filtered, in languages, and has the sponsor', async () => {
      const matchId = await world.match()
      await world.db.write(tx => sponsorKind.upsert(tx, { id: 'ferries', name: 'Ferries' }))
      const opensAt = (minutes: number) => new Date(world.clock.ms + minutes * MINUTE).toISOString()
      const closesAt = opensAt(10)
      await addQuestion(world, { id: 'first', opensAt: opensAt(-2), closesAt: opensAt(-1), matchId })
      await addQuestion(world, { id: 'second', opensAt: opensAt(-1), closesAt, sponsorId: 'ferries' })
      const options = [
        { id: 'a', text: { en: 'Yes', pt: 'Sim' } },
        { id: 'b', text: 'No' },
      ]
      await addQuestion(world, {
        ...{ id: 'third', opensAt: opensAt(1), closesAt, matchId, options },
        title: { en: 'A goal?', pt: 'Golo?' },
      })
      const ids = async (query: string) =>
        (await world.anonymous.get(`/api/questions?${query}`)).body.questions.map(
          ({ id }: { id: string }) => id,
        )
      expect(await ids('')).toEqual(['third', 'second', 'first'])
      expect(await ids('open=true')).toEqual(['second'])
      expect(await ids('open=false')).toEqual(['third', 'first'])
      expect(await ids(`matchId=${matchId}&open=false`)).toEqual(['third', 'first'])
      const page = (await world.anonymous.get('/api/questions?limit=2')).body
      expect(await ids(`limit=2&cursor=${page.nextCursor}`)).toEqual(['first'])
      const [third] = (await world.anonymous.get('/api/questions?lang=pt')).body.questions
      expect([third.title, third.options.map(({ text }: { text: string }) => text)]).toEqual([
        'Golo?',
        ['Sim', 'No'],
      ])
      expect((await readQuestion(world.anonymous, 'second')).sponsor).toMatchObject({ name: 'Ferries' })
    })
  },
  { worldPer: 'test' },
)

onEachEngine('PUT /api/questions/{id}', world => {
  const stated = (members: object = {}) => ({
    kind: 'quiz',
    title: 'Founded?',
    options: [
      { id: 'old', text: '1899' },
      { id: 'new', text: '1999' },
    ],
    opensAt: world.clock.now().toISOString(),
    closesAt: new Date(world.clock.ms + MINUTE).toISOString(),
    ...members,
  })

  test('creates, changes, closes and answers a question by a server key', async () => {
    const server = world.withToken(await world.serverKey(['questions:write']))
    const id = `quiz-${crypto.randomUUID()}`
    const put = (members: object = {}) => server.put(`/api/questions/${id}`, stated(members))
    const { opensAt, closesAt } = stated()
    expectStatus(201, await put({ opensAt, closesAt }))
    expectStatus(200, await put({ opensAt, closesAt }))
    const fan = await world.fan()
    await vote(fan, id, 'old')
    expect(
      refusal(
        await put({
          opensAt,
          closesAt,
          options: [
            { id: 'new', text: '1' },
            { id: 'c', text: '2' },
          ],
        }),
      ),
    ).toEqual([409, 'catalogue_conflict'])
    world.clock.advance(1_000)
    const closed = world.clock.now().toISOString()
    const shown = expectStatus(200, await put({ opensAt, closesAt: closed, correct: 'old' }))
    expect(shown).toMatchObject({ state: 'settled', correct: 'old', myVote: null })
    expect(refusal(await sendVote(await world.fan(), id, 'old'))).toEqual([409, 'question_closed'])
    expect(refusal(await put({ opensAt: closesAt, closesAt }))).toEqual([422, 'validation_failed'])
    expect(refusal(await put({ opensAt, closesAt, correct: 'nobody' }))).toEqual([422, 'validation_failed'])
    expect(await findWrongQuestions(world.db.read)).toEqual([])
  })

  test('needs the scope', async () => {
    const server = world.withToken(await world.serverKey(['matches:write']))
    expect(refusal(await server.put('/api/questions/any', stated()))).toEqual([403, 'insufficient_scope'])
  })
})

test.each([
  ['a rating without a scale', { kind: 'rating' }, '/options'],
  ['a scale of a poll', { options: { scale: 5 } }, '/options'],
  ['a close before it opens', { closesAt: '2026-01-01T00:00:00Z' }, '/closesAt'],
  ['an answer that is no option', { correct: 'nobody' }, '/correct'],
  [
    'an option twice',
    {
      options: [
        { id: 'a', text: 'A' },
        { id: 'a', text: 'B' },
      ],
    },
    '/options/1/id',
  ],
  [
    'an old language tag',
    {
      options: [
        { id: 'a', text: { iw: 'A' } },
        { id: 'b', text: 'B' },
      ],
    },
    '/options/0/text/iw',
  ],
  [
    'a relative picture',
    {
      options: [
        { id: 'a', text: 'A', imageUrl: 'a.svg' },
        { id: 'b', text: 'B' },
      ],
    },
    '/options/0/imageUrl',
  ],
])('a question with %s is refused', (_, members, pointer) => {
  const entry = {
    ...{ id: 'question', kind: 'poll' as const, title: 'Who?' },
    options: [
      { id: 'a', text: 'A' },
      { id: 'b', text: 'B' },
    ],
    opensAt: '2026-08-15T18:30:00Z',
    closesAt: '2026-08-15T18:40:00Z',
    ...members,
  }
  // Guarantee of the cast: the members are those of an entry.
  const faults = questionKind.faults(entry as Parameters<typeof questionKind.faults>[0])
  expect(faults.map(fault => fault.pointer)).toEqual([pointer])
})
