import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'

const HOUR = 3_600_000

onEachEngine(
  'GET /api/matches',
  world => {
    const at = (ms: number) => new Date(world.clock.ms + ms)
    const ids = (body: { matches: { id: string }[] }) => body.matches.map(({ id }) => id)
    const list = async (query = '') => (await world.anonymous.get(`/api/matches${query}`)).body

    test('lists the active matches by kick-off and id, without a token', async () => {
      await world.match({ id: 'late', kickoffAt: at(HOUR) })
      await world.match({ id: 'b', kickoffAt: at(0) })
      await world.match({ id: 'a', kickoffAt: at(0) })
      await world.match({ id: 'hidden', active: false })
      const body = await list()
      expect(ids(body)).toEqual(['a', 'b', 'late'])
      expect(body.nextCursor).toBeNull()
      expect(body.matches[2]).toMatchObject({
        competition: 'Coastal League',
        season: '2026/27',
        round: null,
        kickoffAt: '2026-08-15T19:30:00.000Z',
        venue: null,
        status: 'scheduled',
        homeScore: null,
        awayScore: null,
        revision: 1,
      })
    })

    test.each([
      ['team, at home', (team: string) => `?teamId=${team}`, ['away', 'home']],
      ['first kick-off, inclusive', () => '?from=2026-08-15T19:30:00Z', ['home', 'other']],
      ['last kick-off, exclusive', () => '?to=2026-08-15T21:30:00%2B02:00', ['away']],
      ['status', () => '?status=live', ['other']],
      ['team and status', (team: string) => `?teamId=${team}&status=live`, []],
    ])('filters by %s', async (_, query, expected) => {
      const team = await world.team()
      await world.match({ id: 'away', awayTeamId: team, kickoffAt: at(0) })
      await world.match({ id: 'home', homeTeamId: team, kickoffAt: at(HOUR) })
      await world.match({ id: 'other', kickoffAt: at(2 * HOUR), status: 'live' })
      expect(ids(await list(query(team)))).toEqual(expected)
    })

    test.each([
      ['competition', 'competition=Harbour%20Cup', ['cup']],
      ['season', 'season=2025%2F26', ['last']],
      ['round', 'round=Final', ['cup', 'last']],
      ['season and round', 'season=2026%2F27&round=Final', ['cup']],
      ['a competition that no match has', 'competition=harbour%20cup', []],
    ])('filters by %s', async (_, query, expected) => {
      await world.match({ id: 'cup', competition: 'Harbour Cup', round: 'Final' })
      await world.match({ id: 'last', season: '2025/26', round: 'Final' })
      await world.match({ id: 'league', round: 'Round 1' })
      await world.match({ id: 'none' })
      expect(ids(await list(`?${query}`))).toEqual(expected)
      const first = await list(`?${query}&limit=1`)
      if (expected.length > 1)
        expect(ids(await list(`?${query}&limit=1&cursor=${first.nextCursor}`))).toEqual(expected.slice(1))
    })

    test('pages through matches of one kick-off without a gap or a repeat', async () => {
      for (const id of ['c', 'a', 'e', 'b', 'd']) await world.match({ id })
      const found: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const body: { matches: { id: string }[]; nextCursor: string | null } = await list(
          `?limit=2${cursor ? `&cursor=${cursor}` : ''}`,
        )
        found.push(...ids(body))
        cursor = body.nextCursor
      }
      expect(found).toEqual(['a', 'b', 'c', 'd', 'e'])
    })

    test('refuses a cursor of another filter with 400 invalid_cursor', async () => {
      await world.match()
      await world.match()
      const { nextCursor } = await list('?limit=1')
      const { status, body } = await world.anonymous.get(`/api/matches?status=live&cursor=${nextCursor}`)
      expect([status, body.code]).toEqual([400, 'invalid_cursor'])
    })

    test.each([
      ['an unknown status', 'status=over'],
      ['a time without a zone', 'from=2026-08-15T19:30:00'],
      ['a limit of zero', 'limit=0'],
      ['an unknown parameter', 'team=x'],
      ['an empty season', 'season='],
    ])('refuses %s with 422', async (_, query) => {
      const { status, body } = await world.anonymous.get(`/api/matches?${query}`)
      expect([status, body.code]).toEqual([422, 'validation_failed'])
    })

    test('answers 304 to the ETag of the same list, and 200 after a change', async () => {
      await world.match({ id: 'a' })
      const first = await world.anonymous.get('/api/matches')
      const etag = first.headers.get('etag') ?? ''
      expect(etag).not.toBe('')
      const again = await world.anonymous.get('/api/matches', { 'if-none-match': etag })
      expect(again.status).toBe(304)
      await world.match({ id: 'b' })
      const changed = await world.anonymous.get('/api/matches', { 'if-none-match': etag })
      expect(ids(changed.body)).toEqual(['a', 'b'])
    })
  },
  { worldPer: 'test' },
)

onEachEngine('GET /api/matches/{id}', world => {
  test('reads a match', async () => {
    const id = await world.match({ venue: 'Harbour Park' })
    const { status, body } = await world.anonymous.get(`/api/matches/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, venue: 'Harbour Park', status: 'scheduled' })
  })

  test.each([
    ['scheduled', { opensAt: '2026-08-15T15:30:00.000Z', closesAt: '2026-08-15T21:30:00.000Z' }],
    ['postponed', null],
    ['cancelled', null],
  ])('says when fans can check in at a %s match', async (status, checkIn) => {
    const id = await world.match({ status })
    expect((await world.anonymous.get(`/api/matches/${id}`)).body.checkIn).toEqual(checkIn)
  })

  test.each([
    ['of no match', undefined],
    ['of a match that is switched off', { active: false }],
  ])('refuses an id %s with 404 match_not_found', async (_, fields) => {
    const id = fields ? await world.match(fields) : 'no-such-match'
    const { status, body } = await world.anonymous.get(`/api/matches/${id}`)
    expect([status, body.code]).toEqual([404, 'match_not_found'])
  })
})
