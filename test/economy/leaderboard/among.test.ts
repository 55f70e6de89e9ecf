/** The leaderboard of the fans that the caller follows. */
import { expect, test } from 'bun:test'
import { follow, type NamedFan, namedFan, put } from '../../identity/relations/relations-world.ts'
import { expectStatus, refusal } from '../../play/packs/packs-world.ts'
import { onEachEngine } from '../../support/world.ts'

interface Entry {
  rank: number
  userId: string
  points: number
}

onEachEngine('A leaderboard among those followed', world => {
  async function ranked(points: number): Promise<NamedFan> {
    const fan = await namedFan(world)
    expectStatus(200, await fan.post('/api/user/onboarding', {}))
    if (points > 0) await world.grant(fan, points)
    world.clock.advance(1_000)
    return fan
  }
  const read = async (fan: Pick<NamedFan, 'get'>, query = '') =>
    expectStatus(200, await fan.get(`/api/leaderboard?among=following${query}`))

  test('contains only the caller and the followed fans, ranked among each other', async () => {
    const others = [await ranked(30), await ranked(50), await ranked(30), await ranked(0), await ranked(10)]
    const [caller, stranger] = [await ranked(40), await ranked(99)]
    for (const { handle } of others) await follow(caller, handle)
    const notEnrolled = await namedFan(world)
    await follow(caller, notEnrolled.handle)

    const board = expectStatus(200, await caller.get('/api/leaderboard?limit=100'))
    const ids = [caller, ...others].map(({ id }) => id)
    const expected = board.entries
      .filter(({ userId }: Entry) => ids.includes(userId))
      .map((entry: Entry, at: number) => ({ ...entry, rank: at + 1 }))
    const whole = await read(caller)
    expect(whole.entries).toEqual(expected)
    expect(whole.entries).toHaveLength(6)
    expect(whole.entries.map(({ userId }: Entry) => userId)).not.toContain(stranger.id)
    expect([whole.total, whole.nextCursor, whole.previousCursor]).toEqual([6, null, null])
    expect(whole.me).toEqual(expected.find(({ userId }: Entry) => userId === caller.id))
    expect((await read(stranger)).entries).toHaveLength(1)

    // Forwards and backwards in pages of two.
    const pages = []
    let page = await read(caller, '&limit=2')
    for (let n = 0; n < 3; n++) {
      pages.push(...page.entries)
      if (page.nextCursor) page = await read(caller, `&limit=2&cursor=${page.nextCursor}`)
    }
    expect(pages).toEqual(expected)
    expect(page.nextCursor).toBeNull()
    const back = await read(caller, `&limit=2&cursor=${page.previousCursor}`)
    expect(back.entries).toEqual(expected.slice(2, 4))
    expect((await read(caller, `&limit=100&cursor=${back.previousCursor}`)).entries).toEqual(
      expected.slice(0, 2),
    )

    const around = await read(caller, '&around=me&limit=3')
    expect(around.entries.map(({ rank }: Entry) => rank)).toContain(around.me.rank)
    expect(
      refusal(await stranger.get(`/api/leaderboard?among=following&cursor=${page.previousCursor}`)),
    ).toEqual([400, 'invalid_cursor'])
  })

  test('omits blocked fans, and requires a caller', async () => {
    const [caller, other] = [await ranked(1), await ranked(2)]
    await follow(caller, other.handle)
    expect((await read(caller)).total).toBe(2)
    expectStatus(204, await put(other, 'blocks', caller.handle))
    expect((await read(caller)).entries.map(({ userId }: Entry) => userId)).toEqual([caller.id])
    expect(refusal(await world.anonymous.get('/api/leaderboard?among=following'))).toEqual([
      401,
      'unauthenticated',
    ])
    const fresh = await world.fan()
    expect((await read(fresh)).entries).toEqual([])
  })
})
