/** Weekly and monthly boards: UTC periods that begin on time and no longer change once they are over. */
import { expect, test } from 'bun:test'
import { addPack, buy, patientFan } from '../../play/packs/packs-world.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

interface Entry {
  rank: number
  userId: string
  points: number
}

onEachEngine(
  'Weekly and monthly boards',
  world => {
    test.each([
      [
        'of=2026-W47&limit=0',
        { of: 'needs period=week or period=month', limit: 'must be a whole number of 1 to 100' },
      ],
      [
        'period=week&of=2026-W54&x=1',
        { of: 'must be a week that exists, such as 2026-W47', x: 'is not a member of this request' },
      ],
      [
        'period=month&of=x&around=me&cursor=y',
        { of: 'must be a month that exists, such as 2026-11', around: 'cannot be given with cursor' },
      ],
      ['kind=predictions&period=week&of=2026-W47', { period: 'must be all with kind=predictions' }],
      ['season=2026%2F27', { season: 'needs kind=predictions' }],
      [
        `kind=goals&season=${'x'.repeat(21)}`,
        {
          kind: 'must be "points" or "predictions"',
          season: 'must be a string of 1 to 20 characters',
        },
      ],
      [
        'period=year&of=x',
        {
          of: 'must be a week like 2026-W47 or a month like 2026-11',
          period: 'must be "all" or "week" or "month"',
        },
      ],
    ])('every error of the query %s is listed at once', async (query, expected) => {
      const { status, body } = await world.anonymous.get(`/api/leaderboard?${query}`)
      expect([status, body.code]).toEqual([422, 'validation_failed'])
      const found = body.errors.map(({ parameter, message }: Record<string, string>) => [parameter, message])
      expect(Object.fromEntries(found)).toEqual(expected)
    })

    const setClock = (at: string) => {
      world.clock.ms = Date.parse(at)
    }
    const read = async (query: string, fan?: Fan) => {
      const { status, body } = await (fan ?? world.anonymous).get(`/api/leaderboard?${query}`)
      expect([query, status]).toEqual([query, 200])
      return body
    }
    const points = async (query: string) => (await read(query)).entries.map((entry: Entry) => entry.points)
    /** Ada and Bob are enrolled, Carol is not. Each earns on both sides of the new year and of a week's end. */
    async function createSeason() {
      setClock('2026-12-30T12:00:00.000Z')
      const [ada, bob, carol] = [await patientFan(world), await patientFan(world), await patientFan(world)]
      return {
        ada,
        bob,
        carol,
        async endYear() {
          for (const fan of [ada, bob]) await fan.post('/api/user/onboarding', {})
          await world.grant(ada, 50)
          await world.grant(bob, 20)
        },
        async beginYear() {
          setClock('2027-01-02T23:59:59.999Z')
          await world.grant(bob, 100)
          await world.grant(carol, 1000)
        },
        async turnWeek() {
          setClock('2027-01-03T23:59:59.999Z')
          await world.grant(ada, 1)
          setClock('2027-01-04T00:00:00.000Z')
          await world.grant(ada, 2)
        },
      }
    }

    test('points count on the boards of the time at which they were earned', async () => {
      const { endYear, beginYear } = await createSeason()
      await endYear()
      expect(await points('period=week')).toEqual([150, 120])
      expect(await points('period=month')).toEqual([150, 120])

      // The week continues into the new year, the month does not.
      await beginYear()
      expect(await points('period=week')).toEqual([220, 150])
      expect(await points('period=month')).toEqual([100])
      expect(await points('period=month&of=2026-12')).toEqual([150, 120])
      expect(await points('')).toEqual([220, 150])
      expect((await read('period=week')).board).toEqual({
        id: '2026-W53',
        period: 'week',
        startsAt: '2026-12-28T00:00:00.000Z',
        endsAt: '2027-01-04T00:00:00.000Z',
        final: false,
      })
    })

    test('a period ends at midnight UTC: its last millisecond counts for it, the next one for the next period', async () => {
      const { endYear, beginYear, turnWeek } = await createSeason()
      await endYear()
      await beginYear()
      await turnWeek()
      expect(await points('period=week&of=2026-W53')).toEqual([220, 151])
      expect(await points('period=week')).toEqual([2])
      expect((await read('period=week')).board.id).toBe('2027-W01')
      expect(await points('period=month')).toEqual([100, 3])
    })

    test('later events do not change a finished board, but the current ones', async () => {
      const { ada, bob, carol, endYear, beginYear, turnWeek } = await createSeason()
      await endYear()
      await beginYear()
      await turnWeek()
      setClock('2027-01-05T12:00:00.000Z')
      const finished = ['period=week&of=2026-W53', 'period=month&of=2026-12']
      const before = []
      for (const query of finished) before.push(await read(query), await read(`${query}&around=me`, ada))

      const packId = await addPack(world, { price: { amount: 40, currency: 'POINTS' } })
      await buy(ada, packId)
      await world.grant(ada, 10_000)
      await world.grant(bob, -200)
      // Carol earned in that week, and enrols after it.
      await carol.post('/api/user/onboarding', {})
      const newcomer = await patientFan(world, 77)
      await newcomer.post('/api/user/onboarding', {})
      for (const ms of [0, 1000, 40 * 86_400_000]) {
        world.clock.advance(ms)
        const after = []
        for (const query of finished) after.push(await read(query), await read(`${query}&around=me`, ada))
        expect(after).toEqual(before)
        expect((await read(finished[0] as string, carol)).me).toBeNull()
      }

      // Points earned before the enrolment count in the current week and month: Carol earns 1000 on 2 January, 100 on the 5th.
      expect((await read('period=month&of=2027-01', carol)).me).toMatchObject({ points: 1100 })
      expect((await read('period=week&of=2027-W01', carol)).me).toMatchObject({ points: 100 })
      expect((await read('', carol)).me).toMatchObject({ points: 1100 })
    })
  },
  { worldPer: 'test' },
)

onEachEngine('Boards by id', world => {
  const setClock = (at: string) => {
    world.clock.ms = Date.parse(at)
  }
  const read = async (query: string, fan?: Fan) => {
    const { status, body } = await (fan ?? world.anonymous).get(`/api/leaderboard?${query}`)
    expect([query, status]).toEqual([query, 200])
    return body
  }

  test('a board is final a minute after its end, when every write that started in it has ended', async () => {
    const final = async (query: string) => (await read(query)).board.final
    setClock('2027-01-04T00:00:59.999Z')
    expect(await final('period=week&of=2026-W53')).toBe(false)
    expect(await final('period=month&of=2026-12')).toBe(true)
    setClock('2027-01-04T00:01:00.000Z')
    expect(await final('period=week&of=2026-W53')).toBe(true)
    expect(await final('period=week')).toBe(false)
    expect(await final('period=month')).toBe(false)
    expect(await final('period=week&of=2027-W09')).toBe(false)
    expect(await final('')).toBe(false)
  })

  test('the current board by its id is the current board', async () => {
    setClock('2027-01-07T12:00:00.000Z')
    expect(await read('period=week&of=2027-W01')).toEqual(await read('period=week'))
    expect(await read('period=month&of=2027-01')).toEqual(await read('period=month'))
  })

  test('a week or month that does not exist, or does not match the period, is 422', async () => {
    const bad = [
      ...['period=week&of=2027-W53', 'period=week&of=2025-W53', 'period=week&of=2026-W54'],
      ...['period=week&of=2026-W00', 'period=week&of=2026-11', 'period=week&of=2026-47'],
      ...['period=month&of=2026-13', 'period=month&of=2026-00', 'period=month&of=2026-W11'],
      ...[
        'period=all&of=2026-W11',
        'of=2026-11',
        'period=month&of=all',
        'period=week&of=',
        'period=week&of=now',
      ],
      ...['period=month&of=02026-11', 'period=month&of=2026-11-01', 'period=week&of=0000-W01'],
    ]
    for (const query of bad) {
      const { status, body } = await world.anonymous.get(`/api/leaderboard?${query}`)
      expect([query, status, body.code, body.errors?.[0].parameter]).toEqual([
        query,
        422,
        'validation_failed',
        'of',
      ])
    }
    await read('period=week&of=2026-W53')
    await read('period=week&of=2020-W53')
  })

  test('the last weeks and months before the year 10000 are answered as documented, or refused', async () => {
    // The test client validates each response: an instant has a year of four digits.
    for (const query of ['period=month&of=9999-12', 'period=week&of=9999-W52', 'period=month&of=9999-11']) {
      const { status } = await world.anonymous.get(`/api/leaderboard?${query}`)
      expect([200, 422]).toContain(status)
    }
  })

  test('an enrolment by a clock that is behind loses no points earned by another clock', async () => {
    // Two instances, or one that waited for the fan’s account across midnight.
    const fan = await patientFan(world)
    setClock('2027-02-01T00:00:00.100Z')
    await world.grant(fan, 500)
    setClock('2027-01-31T23:59:59.900Z')
    await fan.post('/api/user/onboarding', {})
    setClock('2027-02-01T00:00:01.000Z')
    await world.grant(fan, 1)
    expect((await read('', fan)).me).toMatchObject({ points: 601 })
    for (const query of ['period=week&of=2027-W05', 'period=month&of=2027-02'])
      expect((await read(query, fan)).me).toMatchObject({ points: 501 })
  })
})
