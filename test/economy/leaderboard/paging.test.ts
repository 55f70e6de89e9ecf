/** Paging through the leaderboard as clients do. */
import { beforeAll, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

interface Entry {
  rank: number
  userId: string
  points: number
}

interface Page {
  entries: Entry[]
  me: Entry | null
  total: number
  nextCursor: string | null
  previousCursor: string | null
}

const FANS = 11

async function readPage(client: Client, query: string): Promise<Page> {
  const { status, body } = await client.get(`/api/leaderboard${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

onEachEngine('An empty leaderboard', world => {
  test('a board without fans is an empty page', async () => {
    const empty = { entries: [], me: null, total: 0, nextCursor: null, previousCursor: null }
    for (const query of ['', '?period=week', '?period=month', '?limit=1', '?period=month&of=2099-12'])
      expect(await readPage(world.anonymous, query)).toMatchObject(empty)
    const fan = await world.fan()
    expect(await readPage(fan, '?around=me')).toMatchObject(empty)
  })
})

onEachEngine('Pages of the leaderboard', world => {
  const fans: Fan[] = []
  const read = (query: string, fan?: Fan) => readPage(fan ?? world.anonymous, query)
  const refusal = async (query: string, fan?: Fan) => {
    const { status, body } = await (fan ?? world.anonymous).get(`/api/leaderboard${query}`)
    return [status, body.code]
  }

  beforeAll(async () => {
    for (let n = 0; n < FANS; n++) {
      const fan = await world.fan()
      fans.push(fan)
      expect((await fan.post('/api/user/onboarding', {})).status).toBe(200)
      if (n > 2) await world.grant(fan, n * 10)
      world.clock.advance(1)
    }
  })

  test('ranks eleven fans by points, and three with equal points by when they reached them', async () => {
    const { entries, total } = await read('')
    expect([total, entries.length]).toEqual([FANS, FANS])
    expect(entries.map(({ rank }) => rank)).toEqual(Array.from({ length: FANS }, (_, n) => n + 1))
    expect(entries.map(({ points }) => points)).toEqual([
      200, 190, 180, 170, 160, 150, 140, 130, 100, 100, 100,
    ])
    // Among fans with equal points, the first to reach them comes first.
    const ids = []
    for (const fan of fans) ids.push((await fan.get('/api/user/profile')).body.id)
    expect(entries.slice(-3).map(({ userId }) => userId)).toEqual(ids.slice(0, 3))
  })

  for (const limit of [1, 2, 3, 5, 10, 11, 100]) {
    test(`cursors visit each fan exactly once, forwards and backwards, ${limit} at a time`, async () => {
      const whole = (await read('')).entries
      const seen: Entry[] = []
      let page = await read(`?limit=${limit}`)
      expect(page.previousCursor).toBeNull()
      for (;;) {
        expect(page.entries.length).toBeLessThanOrEqual(limit)
        expect([page.total, page.entries.length > 0]).toEqual([FANS, true])
        seen.push(...page.entries)
        if (page.nextCursor === null) break
        page = await read(`?limit=${limit}&cursor=${page.nextCursor}`)
      }
      expect(seen).toEqual(whole)

      const back = [...page.entries]
      while (page.previousCursor !== null) {
        page = await read(`?limit=${limit}&cursor=${page.previousCursor}`)
        expect([page.total, page.nextCursor === null]).toEqual([FANS, false])
        back.unshift(...page.entries)
      }
      expect(back).toEqual(whole)
      // A page that was reached backwards leads forwards again.
      if (whole.length > page.entries.length) {
        const again = await read(`?limit=${limit}&cursor=${page.nextCursor}`)
        expect(again.entries[0]).toEqual(whole[page.entries.length] as Entry)
      }
    })
  }

  test('around=me has the caller in the middle of the page, except at both ends, and its cursors continue', async () => {
    const whole = (await read('')).entries
    const ids = whole.map(({ userId }) => userId)
    for (const fan of fans) {
      const { id } = (await fan.get('/api/user/profile')).body
      const index = ids.indexOf(id)
      for (const limit of [1, 2, 5]) {
        const page = await read(`?around=me&limit=${limit}`, fan)
        const start = Math.max(0, index - Math.floor(limit / 2))
        expect(page.entries).toEqual(whole.slice(start, start + limit))
        expect([page.me, page.total]).toEqual([whole[index] as Entry, FANS])
        const end = start + page.entries.length
        if (page.nextCursor) {
          const next = await read(`?limit=${limit}&cursor=${page.nextCursor}`)
          expect(next.entries).toEqual(whole.slice(end, end + limit))
        } else expect(end).toBe(FANS)
        if (page.previousCursor) {
          const previous = await read(`?limit=${limit}&cursor=${page.previousCursor}`)
          expect(previous.entries).toEqual(whole.slice(Math.max(0, start - limit), start))
        } else expect(start).toBe(0)
      }
    }
  })

  test('me is on every page with a caller; null without one, and for a caller who is not on the board', async () => {
    const [first] = fans
    if (!first) throw new Error('no fans')
    const { me } = await read('', first)
    expect(me).not.toBeNull()
    let { nextCursor } = await read('?limit=4', first)
    for (; nextCursor !== null; ) {
      const page = await read(`?limit=4&cursor=${nextCursor}`, first)
      expect(page.me).toEqual(me)
      nextCursor = page.nextCursor
    }
    expect((await read('')).me).toBeNull()
    const stranger = await world.fan()
    expect((await read('', stranger)).me).toBeNull()
    await world.grant(stranger, 5000)
    expect((await read('', stranger)).me).toBeNull()
    expect(await read('?around=me', stranger)).toMatchObject({ entries: [], me: null, total: FANS })
  })

  test('a cursor with any character changed, of another board or of another list is 400 invalid_cursor', async () => {
    const { nextCursor } = await read('?limit=2')
    if (nextCursor === null) throw new Error('no cursor')
    for (let at = 0; at < nextCursor.length; at += 3) {
      const changed =
        nextCursor.slice(0, at) + (nextCursor[at] === 'A' ? 'B' : 'A') + nextCursor.slice(at + 1)
      expect(await refusal(`?cursor=${changed}`)).toEqual([400, 'invalid_cursor'])
    }
    for (const other of [
      'period=week',
      'period=month',
      'period=week&of=2020-W01',
      'period=month&of=2020-01',
      'kind=predictions',
      'kind=predictions&season=2026',
    ])
      expect(await refusal(`?${other}&cursor=${nextCursor}`)).toEqual([400, 'invalid_cursor'])
    const weekly = (await read('?period=week&limit=2')).nextCursor
    expect(await refusal(`?cursor=${weekly}`)).toEqual([400, 'invalid_cursor'])
    expect(await refusal(`?period=month&cursor=${weekly}`)).toEqual([400, 'invalid_cursor'])
    const [fan] = fans
    if (!fan) throw new Error('no fans')
    await world.grant(fan, -1)
    const ofPoints = (await fan.get('/api/user/points?limit=1')).body.nextCursor
    expect(await refusal(`?cursor=${ofPoints}`)).toEqual([400, 'invalid_cursor'])
    expect((await fan.get(`/api/user/points?cursor=${nextCursor}`)).body.code).toBe('invalid_cursor')
  })

  test('any text that is not a cursor is refused, also while the first page is cached', async () => {
    await read('')
    for (const cursor of ['top', 'the%20top', 'at%20the%20top', 'undefined', 'null', 'x'])
      expect([cursor, ...(await refusal(`?cursor=${cursor}`))]).toEqual([cursor, 400, 'invalid_cursor'])
  })

  test('a refused cursor does not affect readers of the first page', async () => {
    world.clock.advance(10_000)
    const [refused, page] = await Promise.all([
      world.anonymous.get('/api/leaderboard?cursor=the%20top'),
      world.anonymous.get('/api/leaderboard'),
    ])
    expect([refused.status, page.status]).toEqual([400, 200])
  })

  test('around=me is 401 without a caller and 422 with a cursor; any other value is 422', async () => {
    const [fan] = fans
    if (!fan) throw new Error('no fans')
    expect(await refusal('?around=me')).toEqual([401, 'unauthenticated'])
    const { nextCursor } = await read('?limit=2')
    expect(await refusal(`?around=me&cursor=${nextCursor}`, fan)).toEqual([422, 'validation_failed'])
    expect(await refusal('?around=you', fan)).toEqual([422, 'validation_failed'])
    expect(await refusal('?around=', fan)).toEqual([422, 'validation_failed'])
  })

  test('an invalid limit, an unknown period and an unknown parameter are 422', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=ten', 'period=day', 'period=', 'page=2', 'board=all'])
      expect([query, ...(await refusal(`?${query}`))]).toEqual([query, 422, 'validation_failed'])
  })

  test('an invalid token is 401, no token is accepted', async () => {
    const answer = await world.withToken('not.a.token').get('/api/leaderboard')
    expect([answer.status, answer.body.code]).toEqual([401, 'invalid_token'])
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const basic = await world.anonymous.get('/api/leaderboard', { authorization: 'Basic dTpw' })
    expect([basic.status, basic.body.code]).toEqual([401, 'unauthenticated'])
    const expired = await world.idp.issueToken('fan-0001', { expiresIn: -3600 })
    expect((await world.withToken(expired).get('/api/leaderboard')).status).toBe(401)
    expect((await world.anonymous.get('/api/leaderboard')).status).toBe(200)
  })
})

onEachEngine('A board that changes during paging', world => {
  const fans: Fan[] = []

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) {
      const fan = await world.fan()
      fans.push(fan)
      await fan.post('/api/user/onboarding', {})
      await world.grant(fan, 30 - n)
    }
  })

  test('an empty page after the last entry has the total and the previous cursor', async () => {
    const { nextCursor } = (await world.anonymous.get('/api/leaderboard?limit=2')).body
    // The fan after the cursor rises above it.
    await world.grant(fans[2] as Fan, 1000)
    const { body } = await world.anonymous.get(`/api/leaderboard?limit=2&cursor=${nextCursor}`)
    expect([body.entries, body.total, body.nextCursor]).toEqual([[], 3, null])
    expect(body.previousCursor).toBeString()
    const back = (await world.anonymous.get(`/api/leaderboard?limit=2&cursor=${body.previousCursor}`)).body
    expect(back.entries.map(({ rank }: Entry) => rank)).toEqual([2, 3])
  })
})
