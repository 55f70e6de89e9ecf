import { expect, test } from 'bun:test'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { changeProfile } from '../../../src/fan/profile/profile.ts'
import { findUser, findUserById } from '../../../src/identity/users/users.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('/api/user/profile', world => {
  test('GET returns 404 profile_not_found before the first write', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.get('/api/user/profile')
    expect([status, body.code]).toEqual([404, 'profile_not_found'])
  })

  test('POST creates the record with 201 and updates it with 200', async () => {
    const fan = await world.fan()
    const first = await fan.post('/api/user/profile', { displayName: 'Ada' })
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({
      displayName: 'Ada',
      handle: null,
      points: 0,
      identity: { provider: 'mock-idp', subject: fan.subject, email: null, syncedAt: null },
      onboarding: { state: 'not_started', completedAt: null },
    })
    const second = await fan.post('/api/user/profile', { bio: 'Row 12' })
    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({ id: first.body.id, displayName: 'Ada', bio: 'Row 12' })
  })

  test('PATCH returns 404 before the first write and changes fields afterwards', async () => {
    const fan = await world.fan()
    expect((await fan.patch('/api/user/profile', { bio: 'x' })).body.code).toBe('profile_not_found')
    const made = (await fan.post('/api/user/profile', {})).body
    world.clock.advance(1000)
    const { status, body } = await fan.patch('/api/user/profile', { bio: 'Row 12' })
    expect([status, body.bio, body.createdAt]).toEqual([200, 'Row 12', made.createdAt])
    expect(body.updatedAt).toBe(new Date(world.clock.ms).toISOString())
  })

  test('an omitted member stays, and null clears it', async () => {
    const fan = await world.fan()
    const favoriteTeamId = await world.team()
    const all = {
      displayName: 'Ada',
      handle: 'ada_clears',
      avatarUrl: 'https://example.com/a.png',
      bio: 'b',
      country: 'GB',
      locale: 'en-GB',
      favoriteTeamId,
    }
    expect((await fan.post('/api/user/profile', all)).body).toMatchObject(all)
    expect((await fan.patch('/api/user/profile', {})).body).toMatchObject(all)
    const none = Object.fromEntries(Object.keys(all).map(name => [name, null]))
    expect((await fan.patch('/api/user/profile', none)).body).toMatchObject(none)
  })

  test('stores values in their normal form', async () => {
    const fan = await world.fan()
    const { body } = await fan.post('/api/user/profile', {
      displayName: '  Ada Okafor\u3000',
      locale: 'zh-hant-tw',
    })
    expect([body.displayName, body.locale]).toEqual(['Ada Okafor', 'zh-Hant-TW'])
  })

  test('accepts the minimum and maximum of each rule', async () => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/user/profile', {
      displayName: '🏟️'.repeat(25),
      handle: 'a'.repeat(20),
      avatarUrl: `https://example.com/${'a'.repeat(2048 - 20)}`,
      bio: 'é'.repeat(280),
      country: 'XK',
      locale: 'sr-Latn-RS',
    })
    expect([status, body.bio.length]).toEqual([201, 280])
  })

  test.each([
    ['displayName', ''],
    ['displayName', '   '],
    ['displayName', '\u200b'],
    ['displayName', '\u202eAda'],
    ...[0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200e, 0x200f, 0x061c].map(
      (code): [string, string] => ['displayName', `A${String.fromCodePoint(code)}da`],
    ),
    ['displayName', 'x'.repeat(51)],
    ['displayName', 'a\u0007b'],
    ['displayName', 5],
    ['handle', 'ab'],
    ['handle', 'a'.repeat(21)],
    ['handle', 'Ada'],
    ['handle', 'ada-o'],
    ['avatarUrl', 'http://example.com/a.png'],
    ['avatarUrl', 'javascript:alert(1)'],
    ['avatarUrl', 'https://user:pass@example.com/'],
    ['avatarUrl', 'https://user@example.com/'],
    ['avatarUrl', `https://example.com/${'a'.repeat(2048)}`],
    ['avatarUrl', `https://example.com/${'a'.repeat(2048 - 19)}`],
    ['displayName', '\u2800'],
    ['displayName', '\u0301'],
    ['displayName', 'Ad\u0334\u0335\u0336a'],
    ['avatarUrl', 'https://example.com'],
    ['avatarUrl', 'HTTPS://example.com/a.png'],
    ['avatarUrl', 'https://EXAMPLE.com/a.png'],
    ['avatarUrl', 'https://example.com:443/a.png'],
    ['avatarUrl', 'https:example.com/a.png'],
    ['avatarUrl', 'https:\\\\example.com\\a.png'],
    ['avatarUrl', 'https://example.com/a/../b.png'],
    ['avatarUrl', 'https://example.com/"><script>'],
    ['avatarUrl', "https://example.com/?a='b'"],
    ['avatarUrl', 'https://example.com/é.png'],
    ['avatarUrl', 'https://exämple.com/a.png'],
    ['avatarUrl', 'https://example.com/\u202egnp.a'],
    ['avatarUrl', ' https://example.com/a.png'],
    ['avatarUrl', 'https://'],
    ['bio', 'x'.repeat(281)],
    ['bio', 'a\u0007b'],
    ['bio', 'a\rb'],
    ['bio', '\u3164'],
    ['bio', 'a\u0334\u0335\u0336b'],
    ['country', 'UK'],
    ['country', 'gb'],
    ['country', 'GBR'],
    ['locale', 'english please'],
    ['locale', ''],
    ['favoriteTeamId', 7],
  ])('refuses %s %p with 422 and its pointer', async (member, value) => {
    const fan = await world.fan()
    const { status, body } = await fan.post('/api/user/profile', { [member]: value })
    expect([status, body.code]).toEqual([422, 'validation_failed'])
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([`/${member}`])
    expect((await fan.get('/api/user/profile')).status).toBe(404)
  })

  test('lists every error of a body at once, those of the schema and of the rules', async () => {
    const fan = await world.fan()
    const profile = {
      bio: 'x'.repeat(281),
      country: 'UK',
      handle: 'X',
      displayName: ' ',
      team: 'x',
      locale: 7,
    }
    const members = ['bio', 'country', 'displayName', 'handle', 'locale', 'team']
    const pointers = async (path: string, body: object) => {
      const { status, body: problem } = await fan.post(path, body)
      expect([status, problem.code]).toEqual([422, 'validation_failed'])
      return problem.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()
    }
    expect(await pointers('/api/user/profile', profile)).toEqual(members.map(member => `/${member}`))
    expect(await pointers('/api/user/onboarding', { profile, joinLeaderboard: 'yes' })).toEqual([
      '/joinLeaderboard',
      ...members.map(member => `/profile/${member}`),
    ])
  })

  test('counts characters as JSON Schema does, not UTF-16 code units', async () => {
    const fan = await world.fan()
    const written = { displayName: '🏟'.repeat(50), bio: '🏟'.repeat(280) }
    const { status, body } = await fan.post('/api/user/profile', written)
    expect([status, body]).toEqual([201, expect.objectContaining(written)])
  })

  test('accepts an avatar URL as the URL Standard serialises it', async () => {
    const fan = await world.fan()
    for (const avatarUrl of [
      'https://example.com/',
      'https://xn--exmple-cua.com:8443/%C3%A9.png?size=64&v=%27b%27#face',
      'https://[2001:db8::1]/a.png',
    ]) {
      expect((await fan.post('/api/user/profile', { avatarUrl })).body.avatarUrl).toBe(avatarUrl)
    }
  })

  test('accepts line feeds and tabs in a bio, and joined emoji in a name', async () => {
    const fan = await world.fan()
    const written = { bio: 'North stand\n\n\tRow 12', displayName: 'Ada 👩‍🚀' }
    const { status, body } = await fan.post('/api/user/profile', written)
    expect([status, body]).toEqual([201, expect.objectContaining(written)])
  })

  test.each(['points', 'id', 'identity', 'roles', 'createdAt', 'isAdmin'])(
    'refuses %s in a body',
    async member => {
      const fan = await world.fan()
      const { status, body } = await fan.post('/api/user/profile', { [member]: 1 })
      expect([status, body.errors[0].pointer]).toEqual([422, `/${member}`])
    },
  )

  test('refuses a team that does not exist or is no longer active with 422 team_not_found', async () => {
    const fan = await world.fan()
    for (const favoriteTeamId of ['', 'no-such-team', await world.team({ active: false })]) {
      const { status, body } = await fan.post('/api/user/profile', { favoriteTeamId })
      expect([status, body.code]).toEqual([422, 'team_not_found'])
    }
  })

  test('refuses the handle of another fan with 409 handle_taken, and nothing is written', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    await one.post('/api/user/profile', { handle: 'the_one' })
    const { status, body } = await other.post('/api/user/profile', { handle: 'the_one', bio: 'x' })
    expect([status, body.code]).toEqual([409, 'handle_taken'])
    expect((await other.get('/api/user/profile')).status).toBe(404)
    expect((await one.post('/api/user/profile', { handle: 'the_one' })).status).toBe(200)
  })

  test('a handle that is released can be taken', async () => {
    const [one, other] = [await world.fan(), await world.fan()]
    await one.post('/api/user/profile', { handle: 'given_up' })
    await one.patch('/api/user/profile', { handle: null })
    expect((await other.post('/api/user/profile', { handle: 'given_up' })).status).toBe(201)
  })

  test('twenty concurrent first writes create one record', async () => {
    const fan = await world.fan()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => fan.post('/api/user/profile', { bio: `${at}` })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19)
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test('one of ten fans who request the same handle concurrently gets it', async () => {
    const fans = await Promise.all(Array.from({ length: 10 }, () => world.fan()))
    const answers = await Promise.all(fans.map(fan => fan.post('/api/user/profile', { handle: 'contested' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'handle_taken')).toHaveLength(9)
  })

  test('a running write of a fan who is being erased writes nothing', async () => {
    const fan = await world.fan()
    await fan.post('/api/user/profile', { bio: 'Row 12' })
    const who = { provider: world.config.identity.name, subject: fan.subject }
    const read = await findUser(world.db.read, who)
    if (!read) throw new Error('the fan has a record')
    await world.db.write(tx => eraseUser(tx, who))
    const late = world.db.write(tx => changeProfile(tx, read.id, { bio: 'Row 13', handle: 'too_late' }))
    await expect(late).rejects.toMatchObject({ code: 'profile_not_found' })
    expect(await findUserById(world.db.read, read.id)).toMatchObject({ bio: null, handle: null })
  })
})
