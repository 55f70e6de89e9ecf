/** Leagues: their members, and who can do what. */
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { insertRows } from '../../../db/bulk.ts'
import { countRows } from '../../../db/pages.ts'
import { MAX_MEMBERS } from '../../../db/schema/play/leagues.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { recordDecision } from '../../../src/identity/sanctions/decisions.ts'
import { mergeFans } from '../../../src/operate/admin/merge/merge-fans.ts'
import { MAX_JOINED, MAX_OWNED } from '../../../src/play/leagues/problems.ts'
import { block, type NamedFan, namedFan } from '../../identity/relations/relations-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { expectStatus } from '../packs/packs-world.ts'
import { create, join, leave, outcomeOf, POINTS, read } from './leagues-world.ts'

onEachEngine('Leagues', world => {
  const fans = async (count: number) => {
    const made: NamedFan[] = []
    for (let n = 0; n < count; n++) made.push(await namedFan(world))
    return made
  }
  const two = async (): Promise<[NamedFan, NamedFan]> => [await namedFan(world), await namedFan(world)]
  const ban = (fan: NamedFan, id: string, handle: string) => fan.put(`/api/leagues/${id}/bans/${handle}`)
  const endBan = (fan: NamedFan, id: string, handle: string) =>
    fan.send(`/api/leagues/${id}/bans/${handle}`, { method: 'DELETE' })
  const change = (fan: NamedFan, id: string, body: Record<string, unknown>) =>
    fan.patch(`/api/leagues/${id}`, body)
  const countMembers = async (id: string) => {
    const { leagueMembers } = world.db.tables
    return countRows(world.db.read, leagueMembers, eq(leagueMembers.leagueId, id))
  }
  const erase = (fan: NamedFan) =>
    world.db.write(tx => eraseUser(tx, { provider: world.config.identity.name, subject: fan.subject }))

  test('are created by their first member, and joined by the code in any spelling', async () => {
    const [ada, calebe] = await two()
    const made = await create(ada, { name: '  Office league ' })
    expect(made).toMatchObject({
      ...{ name: 'Office league', scoring: 'points', season: null, format: 'table', from: 'join' },
      ...{ locked: false, members: 1, nextCursor: null, me: { rank: 1, points: 0 } },
      owner: { handle: ada.handle, displayName: `Name of ${ada.handle}` },
      owned: true,
      entries: [{ handle: ada.handle, rank: 1, points: 0, joinedAt: made.createdAt }],
    })
    expect(made.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    const typed = made.code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    const joined = expectStatus(200, await join(calebe, typed))
    expect(joined).toMatchObject({ id: made.id, members: 2, owned: false, owner: { handle: ada.handle } })
    expect(outcomeOf(await join(calebe, made.code))).toBe('already_member')
    expect((await calebe.get('/api/user/leagues')).body.leagues).toMatchObject([
      { id: made.id, name: 'Office league', members: 2, me: { points: 0 } },
    ])
  })

  test('are read by their members only', async () => {
    const [ada, stranger] = await two()
    const { id } = await create(ada)
    const answers = [
      await stranger.get(`/api/leagues/${id}`),
      await change(stranger, id, { locked: true }),
      await leave(stranger, id),
      await leave(stranger, id, ada.handle),
      await ban(stranger, id, ada.handle),
      await endBan(stranger, id, ada.handle),
      await ada.get('/api/leagues/no-such-league'),
    ]
    expect(answers.map(outcomeOf)).toEqual(Array(7).fill('league_not_found'))
    expect((await stranger.get('/api/user/leagues')).body).toEqual({ leagues: [], automatic: [] })
    expect((await world.anonymous.get(`/api/leagues/${id}`)).status).toBe(401)
  })

  test('a wrong name, season or format is refused with its place', async () => {
    const ada = await namedFan(world)
    const pointerOf = async (members: Record<string, unknown>) => {
      const { status, body } = await ada.post('/api/leagues', { ...POINTS, ...members })
      return [status, body.errors?.[0]?.pointer]
    }
    expect(await pointerOf({ name: ' ' })).toEqual([422, '/name'])
    expect(await pointerOf({ name: 'x'.repeat(51) })).toEqual([422, '/name'])
    expect(await pointerOf({ season: '2026/27' })).toEqual([422, '/season'])
    expect(await pointerOf({ format: 'cup' })).toEqual([422, '/format'])
    const ofPredictions = { scoring: 'predictions' }
    expect(await pointerOf({ ...ofPredictions, season: '1899/00' })).toEqual([422, '/season'])
    expect(await pointerOf({ ...ofPredictions, competition: 'No cup' })).toEqual([422, '/competition'])
  })

  test('only the owner changes a league: name, lock, code and owner', async () => {
    const [ada, calebe, other] = await fans(3)
    if (!ada || !calebe || !other) throw new Error('three fans')
    const { id, code } = await create(ada)
    await join(calebe, code)
    expect(outcomeOf(await change(calebe, id, { name: 'Mine' }))).toBe('not_owner')
    const changed = expectStatus(200, await change(ada, id, { name: 'Derby', locked: true, newCode: true }))
    expect(changed).toMatchObject({ name: 'Derby', locked: true })
    expect(changed.code).not.toBe(code)
    expect(outcomeOf(await join(other, code))).toBe('code_not_found')
    expect(outcomeOf(await join(other, changed.code))).toBe('league_locked')
    expect(outcomeOf(await change(ada, id, { owner: other.handle }))).toBe('fan_not_found')
    expect(expectStatus(200, await change(ada, id, { owner: calebe.handle })).owner.handle).toBe(
      calebe.handle,
    )
    expect(outcomeOf(await change(ada, id, { locked: false }))).toBe('not_owner')
    expect(expectStatus(200, await change(calebe, id, { locked: false })).locked).toBe(false)
    expect(outcomeOf(await join(other, changed.code))).toBe(200)
  })

  test('a suspended owner leaves, and removes nobody', async () => {
    const [ada, calebe] = await two()
    const { id, code } = await create(ada)
    await join(calebe, code)
    const until = new Date(world.clock.ms + 60_000)
    await world.db.write(tx =>
      recordDecision(tx, { fanId: ada.id, kind: 'suspend', until, reason: 'harassment', decidedBy: 'Ana' }),
    )
    const refused = await leave(ada, id, calebe.handle)
    expect([refused.status, refused.body.code, refused.body.until]).toEqual([
      403,
      'suspended',
      until.toISOString(),
    ])
    expect(outcomeOf(await leave(ada, id, 'member-2'))).toBe('suspended')
    expect(await countMembers(id)).toBe(2)
    expect(outcomeOf(await leave(ada, id, 'member-1'))).toBe(204)
    expect(await read(calebe, id)).toMatchObject({ members: 1, owner: { handle: calebe.handle } })
  })

  test('the owner removes and bans members without a handle, by their numbers', async () => {
    const [ada, calebe, other] = await fans(3)
    if (!ada || !calebe || !other) throw new Error('three fans')
    const { id, code } = await create(ada)
    for (const fan of [calebe, other]) {
      await join(fan, code)
      expectStatus(200, await fan.patch('/api/user/profile', { handle: null }))
    }
    const numbers = async () =>
      (await read(ada, id)).entries
        .map(({ number, handle }: { number: number; handle: string | null }) => [number, handle])
        .toSorted(([a]: [number], [b]: [number]) => a - b)
    expect(await numbers()).toEqual([
      [1, ada.handle],
      [2, null],
      [3, null],
    ])
    expect(outcomeOf(await leave(other, id, 'member-2'))).toBe('not_owner')
    expect(outcomeOf(await leave(ada, id, 'member-4'))).toBe('fan_not_found')
    expect(outcomeOf(await leave(ada, id, 'member-2'))).toBe(204)
    expect(outcomeOf(await leave(ada, id, 'member-2'))).toBe('fan_not_found')
    // A number is not given twice.
    expect(outcomeOf(await join(calebe, code))).toBe(200)
    expect(await numbers()).toEqual([
      [1, ada.handle],
      [3, null],
      [4, null],
    ])
    expect(outcomeOf(await ban(ada, id, 'member-1'))).toBe('cannot_ban_yourself')
    expect(outcomeOf(await ban(ada, id, 'member-2'))).toBe('fan_not_found')
    expect(outcomeOf(await ban(ada, id, 'member-3'))).toBe(204)
    expect(outcomeOf(await join(other, code))).toBe('banned')
  })

  test('a member leaves, and the owner removes one, who can join again unless banned', async () => {
    const [ada, calebe, other] = await fans(3)
    if (!ada || !calebe || !other) throw new Error('three fans')
    const { id, code } = await create(ada)
    for (const fan of [calebe, other]) await join(fan, code)
    expect(outcomeOf(await leave(calebe, id, other.handle))).toBe('not_owner')
    expect(outcomeOf(await leave(calebe, id, calebe.handle))).toBe(204)
    expect(outcomeOf(await leave(ada, id, calebe.handle))).toBe('fan_not_found')
    expect(outcomeOf(await leave(ada, id, other.handle))).toBe(204)
    expect(outcomeOf(await join(other, code))).toBe(200)
    expect(outcomeOf(await ban(other, id, ada.handle))).toBe('not_owner')
    for (const status of [204, 204]) expect(outcomeOf(await ban(ada, id, other.handle))).toBe(status)
    expect(outcomeOf(await ban(ada, id, ada.handle))).toBe('cannot_ban_yourself')
    expect(outcomeOf(await ban(ada, id, 'nobody_has_this'))).toBe('fan_not_found')
    expect(outcomeOf(await join(other, code))).toBe('banned')
    for (const status of [204, 204]) expect(outcomeOf(await endBan(ada, id, other.handle))).toBe(status)
    expect(outcomeOf(await join(other, code))).toBe(200)
    expect(await read(ada, id)).toMatchObject({ members: 2 })
    expect(await countMembers(id)).toBe(2)
  })

  test('the member who joined first owns a league that its owner leaves, and nobody an empty one', async () => {
    const [ada, calebe, other] = await fans(3)
    if (!ada || !calebe || !other) throw new Error('three fans')
    const { id, code } = await create(ada)
    for (const fan of [calebe, other]) {
      world.clock.ms += 1_000
      await join(fan, code)
    }
    await ban(ada, id, (await namedFan(world)).handle)
    await leave(ada, id)
    expect(await read(other, id)).toMatchObject({ members: 2, owner: { handle: calebe.handle } })
    for (const fan of [calebe, other]) await leave(fan, id)
    const { leagues, leagueBans } = world.db.tables
    expect(await countRows(world.db.read, leagues, eq(leagues.id, id))).toBe(0)
    expect(await countRows(world.db.read, leagueBans, eq(leagueBans.leagueId, id))).toBe(0)
    expect(outcomeOf(await join(ada, code))).toBe('code_not_found')
  })

  test('are limited: members of one, and leagues of one fan', async () => {
    const [ada, calebe] = await two()
    const { id, code } = await create(ada)
    const { leagues, leagueMembers } = world.db.tables
    await world.db.write(tx => tx.update(leagues).set({ members: MAX_MEMBERS }).where(eq(leagues.id, id)))
    expect(outcomeOf(await join(calebe, code))).toBe('league_full')
    await world.db.write(tx => tx.update(leagues).set({ members: 1 }).where(eq(leagues.id, id)))

    const more = async (fan: NamedFan, count: number, ownerId: string) => {
      const at = world.clock.now()
      const rows = Array.from({ length: count }, (_, n) => ({
        ...{ id: `${fan.id}-${ownerId}-${n}`, name: 'More', code: `${fan.id}${ownerId}${n}`, ownerId },
        ...{ scoring: 'points', board: 'all', countFrom: 'join', locked: false, members: 1, createdAt: at },
        ...{ joined: 1, format: 'table', rounds: 0 },
      }))
      await world.db.write(async tx => {
        await insertRows(tx, leagues, rows)
        const members = rows.map(({ id: leagueId }) => ({
          ...{ leagueId, userId: fan.id, joinedAt: at, countsFrom: at, baseline: 0 },
          ...{ number: 1, matchPoints: 0 },
        }))
        await insertRows(tx, leagueMembers, members)
      })
    }
    await more(ada, MAX_OWNED - 1, ada.id)
    expect(outcomeOf(await ada.post('/api/leagues', POINTS))).toBe('too_many_leagues')
    // A league of another fan can be joined, but not owned.
    const theirs = await create(calebe)
    expect(outcomeOf(await join(ada, theirs.code))).toBe(200)
    expect(outcomeOf(await change(calebe, theirs.id, { owner: ada.handle }))).toBe('too_many_leagues')
    await more(ada, MAX_JOINED - MAX_OWNED - 1, calebe.id)
    const { code: last } = await create(await namedFan(world))
    expect(outcomeOf(await join(ada, last))).toBe('too_many_leagues')
    expect((await ada.get('/api/user/leagues')).body.leagues).toHaveLength(MAX_JOINED)
  })

  test('show no name after a block, and the owner can still remove that fan', async () => {
    const [ada, calebe] = await two()
    const { id, code } = await create(ada)
    await join(calebe, code)
    await block(calebe, ada.handle)
    const [own, theirs] = [await read(ada, id), await read(calebe, id)]
    const nameless = { handle: null, displayName: null, avatarUrl: null }
    expect(own.entries).toContainEqual(expect.objectContaining(nameless))
    expect(own.entries).toContainEqual(expect.objectContaining({ handle: ada.handle }))
    expect(theirs.owner).toEqual({ handle: null, displayName: null })
    // By the handle, nobody learns that the fan exists.
    expect(outcomeOf(await leave(ada, id, calebe.handle))).toBe('fan_not_found')
    expect(outcomeOf(await ban(ada, id, calebe.handle))).toBe('fan_not_found')
    expect(outcomeOf(await leave(ada, id, 'member-2'))).toBe(204)
    expect(await countMembers(id)).toBe(1)
    expect(outcomeOf(await ban(ada, id, calebe.handle))).toBe('fan_not_found')
    expect(outcomeOf(await endBan(ada, id, calebe.handle))).toBe('fan_not_found')
  })

  test('ban a fan without a handle by the number, and end the ban by it', async () => {
    const [ada, calebe] = [await namedFan(world), await world.fan()]
    const { id, code } = await create(ada)
    expectStatus(200, await calebe.post('/api/leagues/join', { code }))
    for (let n = 0; n < 2; n++) expect(outcomeOf(await ban(ada, id, 'member-2'))).toBe(204)
    expect(outcomeOf(await calebe.post('/api/leagues/join', { code }))).toBe('banned')
    expect(outcomeOf(await endBan(ada, id, 'member-3'))).toBe('fan_not_found')
    for (let n = 0; n < 2; n++) expect(outcomeOf(await endBan(ada, id, 'member-2'))).toBe(204)
    expectStatus(200, await calebe.post('/api/leagues/join', { code }))
    expect(outcomeOf(await ban(ada, id, 'member-1'))).toBe('cannot_ban_yourself')
  })

  test.each(['admin', 'Club Official', 'support 2'])('do not take the name %p of the club', async name => {
    const ada = await namedFan(world)
    expect(outcomeOf(await ada.post('/api/leagues', { ...POINTS, name }))).toBe('text_not_allowed')
    const { id } = await create(ada)
    expect(outcomeOf(await change(ada, id, { name }))).toBe('text_not_allowed')
  })

  test('show a member by the privacy of leaderboards', async () => {
    const [ada, calebe] = await two()
    const { id, code } = await create(ada)
    await join(calebe, code)
    await calebe.patch('/api/user/privacy', { leaderboardName: 'anonymous' })
    const { entries } = await read(ada, id)
    expect(entries.filter((entry: { handle: string | null }) => entry.handle === null)).toHaveLength(1)
  })

  test('a name can be reported by members, and is hidden with its owner', async () => {
    const [ada, calebe, stranger] = await fans(3)
    if (!ada || !calebe || !stranger) throw new Error('three fans')
    const { id, code } = await create(ada, { name: 'Rude words' })
    await join(calebe, code)
    const report = (fan: NamedFan) =>
      fan.post('/api/reports', { subject: { kind: 'league', id }, reason: 'hate' })
    expect(outcomeOf(await report(stranger))).toBe('league_not_found')
    expect(outcomeOf(await report(ada))).toBe('cannot_report_yourself')
    expect((await report(calebe)).status).toBe(201)
    const { reports } = world.db.tables
    const [filed] = await world.db.read.select().from(reports).where(eq(reports.subjectId, id))
    expect([filed?.fanId, JSON.parse(filed?.evidence ?? '').league]).toEqual([ada.id, { name: 'Rude words' }])
    await world.db.write(tx =>
      recordDecision(tx, { decidedBy: 'Mia', reason: 'hate', fanId: ada.id, kind: 'hide' }),
    )
    expect((await read(calebe, id)).name).toBeNull()
    expect((await calebe.get('/api/user/leagues')).body.leagues[0].name).toBeNull()
    expect((await read(ada, id)).name).toBe('Rude words')
  })

  test('an erased owner hands over', async () => {
    const [ada, calebe] = await two()
    const { id, code } = await create(ada)
    const own = await create(ada)
    await join(calebe, code)
    await erase(ada)
    expect(await read(calebe, id)).toMatchObject({ members: 1, owner: { handle: calebe.handle } })
    expect(outcomeOf(await join(calebe, own.code))).toBe('code_not_found')
  })

  test('two merged members are one, since the earlier joining', async () => {
    const [ada, from, into] = await fans(3)
    if (!ada || !from || !into) throw new Error('three fans')
    const { id, code } = await create(ada)
    const alone = await create(from)
    world.clock.ms += 1_000
    const joinedAt = world.clock.now().toISOString()
    await join(from, code)
    world.clock.ms += 1_000
    await join(into, code)
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Mia', reason: null }))
    const { members, entries } = await read(ada, id)
    expect([members, await countMembers(id)]).toEqual([2, 2])
    expect(entries).toContainEqual(expect.objectContaining({ handle: into.handle, joinedAt }))
    expect(await read(into, alone.id)).toMatchObject({ members: 1, owner: { handle: into.handle } })
  })

  test('a merged member is not banned, whichever of the two was', async () => {
    const [ada, from, into] = await fans(3)
    if (!ada || !from || !into) throw new Error('three fans')
    const member = await create(ada)
    await join(from, member.code)
    const banned = await create(ada)
    await join(into, banned.code)
    for (const [{ id }, { handle }] of [
      [member, into],
      [banned, from],
    ] as const)
      expectStatus(204, await ada.put(`/api/leagues/${id}/bans/${handle}`))
    await world.db.write(tx => mergeFans(tx, { from: from.id, into: into.id, mergedBy: 'Mia', reason: null }))
    for (const { id, code } of [member, banned]) {
      expect(await read(ada, id)).toMatchObject({ members: 2 })
      expectStatus(204, await leave(into, id))
      expect(outcomeOf(await join(into, code))).toBe(200)
    }
  })

  test('guesses of codes are limited together with those of campaigns', async () => {
    const [ada, calebe] = await two()
    const { code } = await create(ada)
    const guess = () => join(calebe, 'ZZZZ-ZZZZ')
    const outcomes: unknown[] = []
    for (let n = 0; n < 10; n++) outcomes.push(outcomeOf(await guess()))
    expect(new Set(outcomes)).toEqual(new Set(['code_not_found']))
    const limited = [
      await guess(),
      await join(calebe, code),
      await calebe.post('/api/codes', { code: 'NO-CODE' }),
    ]
    expect(limited.map(outcomeOf)).toEqual(Array(3).fill('rate_limited'))
    expect(outcomeOf(await join(await namedFan(world), code))).toBe(200)
  })
})
