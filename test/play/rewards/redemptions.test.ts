/** The desk: GET /api/redemptions/{code} and POST /api/redemptions/{code}/use. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { exportUser } from '../../../src/operate/admin/export-user.ts'
import type { Answer, Client } from '../../support/client.ts'
import { type Fan, onEachEngine } from '../../support/world.ts'

onEachEngine('the redemption desk', world => {
  let desk: Client
  let otherDesk: Client
  beforeAll(async () => {
    desk = await open('north-desk')
    otherDesk = await open('south-desk')
  })
  const open = async (source: string) =>
    world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write'], { source }))

  const get = (code: string, by = desk) => by.get(`/api/redemptions/${encodeURIComponent(code)}`)
  const use = (code: string, by = desk) => by.post(`/api/redemptions/${encodeURIComponent(code)}/use`, {})
  const refusal = ({ status, body }: Answer) => [status, body.code]

  /** A fan with a redeemed reward. */
  async function redeemed(profile: object = { displayName: 'Ana Ruiz' }) {
    const fan = await world.fan()
    const { id: userId } = (await fan.post('/api/user/profile', profile)).body
    const rewardId = await world.reward({ pointsRequired: 0, title: 'Home scarf', itemType: 'scarf' })
    await fan.post('/api/rewards/claim', { rewardId })
    const { reward } = (await fan.post('/api/rewards/redeem', { rewardId })).body
    const { redemptionCode: code, redeemedAt } = reward as { redemptionCode: string; redeemedAt: string }
    return { fan, userId: userId as string, rewardId, code, redeemedAt }
  }

  describe('looking a code up', () => {
    test('shows the reward, the fan and whether the code was used, and changes nothing', async () => {
      const { code, rewardId, userId, redeemedAt } = await redeemed()
      for (const _ of [1, 2]) {
        const { status, body, headers } = await get(code)
        expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
        expect(body).toEqual({
          code,
          reward: {
            id: rewardId,
            title: 'Home scarf',
            description: 'A scarf.',
            imageUrl: null,
            itemType: 'scarf',
          },
          order: null,
          fan: { id: userId, displayName: 'Ana Ruiz' },
          redeemedAt,
          usedAt: null,
          usedBy: null,
        })
      }
    })

    test('shows the name at the provider for a fan without a display name, and null if there is none', async () => {
      const { fan, code } = await redeemed({})
      expect((await get(code)).body.fan.displayName).toBeNull()
      await fan.post('/api/user/sync-mock-idp')
      const { identity } = (await fan.get('/api/user/profile')).body
      expect((await get(code)).body.fan.displayName).toBe(identity.name)
    })

    test('finds a code despite confused letters, case and spaces', async () => {
      const { code } = await redeemed()
      const written = code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
      for (const text of [written, code.replaceAll('-', ''), ` ${code.replaceAll('-', ' – ')} `])
        expect((await get(text)).body.code, text).toBe(code)
    })

    test.each(['7Q2M-X9KD-4T0B-HW5E', 'some-id', '%00', '0', 'x'.repeat(100)])(
      'answers 404 redemption_not_found for the unknown code %s',
      async code => {
        for (const answer of [await get(code), await use(code)])
          expect(refusal(answer)).toEqual([404, 'redemption_not_found'])
      },
    )

    test('does not find the code of a reward that is claimed and not redeemed', async () => {
      const fan = await world.fan()
      const rewardId = await world.reward({ pointsRequired: 0 })
      await fan.post('/api/rewards/claim', { rewardId })
      expect(refusal(await get('null'))).toEqual([404, 'redemption_not_found'])
    })
  })

  describe('using a code', () => {
    test('returns the result of the look-up, with the time and the source', async () => {
      const { code } = await redeemed()
      world.clock.advance(1_000)
      const usedAt = new Date(world.clock.ms).toISOString()
      const { status, body } = await use(code.toLowerCase())
      expect(status).toBe(200)
      expect(body).toMatchObject({ code, usedAt, usedBy: 'north-desk' })
      world.clock.advance(1_000)
      expect((await get(code, otherDesk)).body).toEqual(body)
    })

    test('is refused with 409 already_used from then on, also at the same desk, and keeps the first use', async () => {
      const { code } = await redeemed()
      const { usedAt } = (await use(code)).body
      world.clock.advance(1_000)
      for (const by of [desk, otherDesk]) {
        const { status, body } = await use(code, by)
        expect([status, body.code, body.usedAt, body.usedBy]).toEqual([
          409,
          'already_used',
          usedAt,
          'north-desk',
        ])
      }
    })

    test('happens once for twenty concurrent requests of two desks', async () => {
      const { code } = await redeemed()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => use(code, n % 2 ? desk : otherDesk)),
      )
      const [won] = answers.filter(({ status }) => status === 200)
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)])
      for (const { body } of answers) {
        expect([body.usedAt, body.usedBy]).toEqual([won?.body.usedAt, won?.body.usedBy])
      }
    })

    test('takes no body', async () => {
      const { code } = await redeemed()
      expect(refusal(await desk.post(`/api/redemptions/${code}/use`, { by: 'me' }))).toEqual([
        422,
        'validation_failed',
      ])
      expect((await desk.post(`/api/redemptions/${code}/use`)).status).toBe(200)
    })

    test('needs the scope redemptions:write, and looking up needs redemptions:read', async () => {
      const { code } = await redeemed()
      const reader = world.withToken(await world.serverKey(['redemptions:read']))
      const writer = world.withToken(await world.serverKey(['redemptions:write']))
      expect((await get(code, reader)).status).toBe(200)
      expect(refusal(await use(code, reader))).toEqual([403, 'insufficient_scope'])
      expect(refusal(await get(code, writer))).toEqual([403, 'insufficient_scope'])
      expect((await use(code, writer)).status).toBe(200)
    })

    test('does not change what the fan sees, and is in the export of the fan', async () => {
      const { fan, userId, rewardId, code } = await redeemed()
      const before = (await fan.get('/api/user/rewards')).body
      const { usedAt } = (await use(code)).body
      expect((await fan.get('/api/user/rewards')).body).toEqual(before)
      const exported = await exportUser(world.db.read, { id: userId })
      expect(JSON.parse(JSON.stringify(exported))).toMatchObject({
        rewards: [{ rewardId, redemptionCode: code, usedAt, usedBy: 'north-desk' }],
      })
    })
  })

  test('the code of an erased fan no longer exists, used or not', async () => {
    const [fresh, used] = [await redeemed(), await redeemed()]
    expect((await use(used.code)).status).toBe(200)
    for (const { code, userId } of [fresh, used]) {
      await world.db.write(tx => eraseUser(tx, { id: userId }, () => {}))
      expect(refusal(await get(code))).toEqual([404, 'redemption_not_found'])
      expect(refusal(await use(code))).toEqual([404, 'redemption_not_found'])
    }
  })

  test('a fan cannot use their own code', async () => {
    const { fan, code } = await redeemed()
    for (const by of [fan, world.anonymous] as (Fan | Client)[]) {
      expect((await get(code, by)).status).toBe(401)
      expect((await use(code, by)).status).toBe(401)
    }
    expect((await get(code)).body.usedAt).toBeNull()
  })
})

onEachEngine(
  'guesses of redemption codes',
  world => {
    test('are limited for each source, look-ups and uses together', async () => {
      const client = async (source: string) =>
        world.withToken(await world.serverKey(['redemptions:read', 'redemptions:write'], { source }))
      const [guesser, other] = [await client('guessing-desk'), await client('other-desk')]
      const guess = '/api/redemptions/AAAA-AAAA-AAAA-AAAA'
      const answers = [
        await guesser.get(guess),
        await guesser.post(`${guess}/use`),
        await guesser.get(guess),
        await other.get(guess),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 429, 404])
      expect(answers[0]?.headers.get('ratelimit-policy')).toContain('"redemptions";q=2;w=60')
      const events = world.logged.map(line => JSON.parse(line)).filter(line => 'securityEvent' in line)
      expect(events).toMatchObject([
        {
          securityEvent: 'redemption_limit_reached',
          source: 'guessing-desk',
          requestId: answers[2]?.headers.get('x-request-id'),
          path: '/api/redemptions/:code',
        },
      ])
    })
  },
  { env: { RATE_LIMITS: 'redemptions=2' } },
)
