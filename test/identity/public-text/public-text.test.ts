/** Terms and the text filter, as writes of profiles meet them. */
import { describe, expect, test } from 'bun:test'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { countQueries } from '../../support/queries.ts'
import { onEachEngine } from '../../support/world.ts'

const VERSION = '2026-08'
const TERMS = 'https://club.example/terms'

onEachEngine(
  'A club with terms and a text filter',
  world => {
    const member = async () => {
      const fan = await world.fan()
      expectStatus(200, await fan.put('/api/user/terms', { version: VERSION }))
      return fan
    }

    test('lets only fans who have accepted the current terms write texts for others', async () => {
      const fan = await world.fan()
      const refused = await fan.post('/api/user/profile', { displayName: 'Ana' })
      expect(refused.status).toBe(403)
      expect(refused.body).toMatchObject({ code: 'terms_not_accepted', required: VERSION, url: TERMS })
      expect((await fan.get('/api/user/terms')).body).toEqual({
        required: VERSION,
        url: TERMS,
        accepted: null,
      })
      const { body } = await fan.put('/api/user/terms', { version: VERSION })
      expect(body.accepted.version).toBe(VERSION)
      expectStatus(
        201,
        await fan
          .post('/api/user/profile', { displayName: 'Ana', country: 'PT' })
          .then(answer => (answer.status === 200 ? { ...answer, status: 201 } : answer)),
      )
    })

    test('asks for no terms where a profile has no text for others', async () => {
      const fan = await world.fan()
      expectStatus(201, await fan.post('/api/user/profile', { country: 'PT', bio: null }))
      expectStatus(200, await fan.post('/api/user/onboarding', { profile: { locale: 'pt-PT' } }))
    })

    test('refuses other versions of the terms', async () => {
      const fan = await world.fan()
      const { status, body } = await fan.put('/api/user/terms', { version: '2020-01' })
      expect([status, body.code]).toEqual([409, 'terms_version_not_current'])
    })

    test('keeps the time at which a fan accepted them first', async () => {
      const fan = await member()
      const first = (await fan.get('/api/user/terms')).body
      world.clock.advance(60_000)
      expect((await fan.put('/api/user/terms', { version: VERSION })).body).toEqual(first)
    })

    test('names each text that is not allowed, and writes nothing', async () => {
      const fan = await member()
      const profile = { displayName: 'fuck', handle: 'old_shit', bio: 'North stand.', country: 'PT' }
      const { status, body } = await fan.post('/api/user/profile', profile)
      expect([status, body.code]).toEqual([422, 'text_not_allowed'])
      expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
        '/displayName',
        '/handle',
      ])
      const onboarded = await fan.post('/api/user/onboarding', { profile: { bio: 'shit' } })
      expect(onboarded.body.errors[0].pointer).toBe('/profile/bio')
      expect((await fan.get('/api/user/onboarding')).body.state).toBe('not_started')
    })
  },
  { env: { TEXT_FILTER: 'block', TERMS_VERSION: VERSION, TERMS_URL: TERMS } },
)

onEachEngine('A club without terms and filter', world => {
  test('requires nothing, accepts no version, and reads nothing for it', async () => {
    const fan = await world.fan()
    expect((await fan.get('/api/user/terms')).body).toEqual({ required: null, url: null, accepted: null })
    expect((await fan.put('/api/user/terms', { version: VERSION })).status).toBe(409)
    expectStatus(201, await fan.post('/api/user/profile', { displayName: 'Ana' }))
    const rename = (displayName: string) => fan.patch('/api/user/profile', { displayName })
    await rename('Bia')
    const named = await countQueries(world.db, () => rename('Eva'))
    const other = await countQueries(world.db, () => fan.patch('/api/user/profile', { country: 'PT' }))
    expect(named).toBe(other)
  })

  describe('refuses names', () => {
    test.each([
      ['with a zero-width space', 'An\u200ba'],
      ['with a Cyrillic letter among Latin ones', 'Аna'],
      ['in mathematical letters', '𝓐𝓷𝓪'],
      ['with a bidirectional control', 'Ana\u202e'],
    ])('%s', async (_, displayName) => {
      const fan = await world.fan()
      for (const [path, body, pointer] of [
        ['/api/user/profile', { displayName }, '/displayName'],
        ['/api/user/onboarding', { profile: { displayName } }, '/profile/displayName'],
      ] as const) {
        const answer = await fan.post(path, body)
        expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, pointer])
      }
    })
  })

  test('refuses to be called without a token', async () => {
    for (const answer of [
      await world.anonymous.get('/api/user/terms'),
      await world.anonymous.put('/api/user/terms', { version: VERSION }),
    ])
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
  })
})
