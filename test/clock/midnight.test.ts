/** The first instant of a day, a week, a month and a year, and leap seconds. */
import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { parseClaims } from '../../src/platform/identity-provider/claims.ts'
import { RewardEntry } from '../../src/play/rewards/reward-kind.ts'
import { faultsOf } from '../crash/statements.ts'
import { deliver, updated } from '../identity/users/deliveries.ts'
import {
  addPack,
  expectStatus,
  HOLD,
  patientFan,
  refusal,
  remaining,
  start,
} from '../play/packs/packs-world.ts'
import { onEachEngine } from '../support/world.ts'

onEachEngine('Midnight', world => {
  const setClock = (at: number) => world.clock.set(at - world.clock.ms)

  // The end of a day, a week and a month; of a month only; of a week only; of a year; and a 29 February.
  for (const [n, midnight] of [
    '2026-08-16T00:00:00.000Z',
    '2026-09-01T00:00:00.000Z',
    '2026-09-07T00:00:00.000Z',
    '2027-01-01T00:00:00.000Z',
    '2028-02-29T00:00:00.000Z',
    '2028-03-01T00:00:00.000Z',
  ].entries()) {
    test(`at ${midnight.slice(0, 10)} an onboarding in the last millisecond is not granted again in the first millisecond`, async () => {
      setClock(Date.parse(midnight) - 1)
      const fan = await patientFan(world)
      const first = await fan.post('/api/user/onboarding', {})
      world.clock.advance(1)
      const repeats = await Promise.all([1, 2, 3].map(() => fan.post('/api/user/onboarding', {})))
      for (const { body } of [first, ...repeats]) {
        expect(body.completedAt).toBe(new Date(world.clock.ms - 1).toISOString())
        expect(body.reward.points).toBe(100)
      }
      expect((await fan.get('/api/user/points')).body.entries).toHaveLength(1)
      expect(await faultsOf(world)).toEqual([])
    })

    test(`over ${midnight.slice(0, 10)} a hold lasts its fifteen minutes`, async () => {
      setClock(Date.parse(midnight) - 1)
      const fan = await patientFan(world, 500)
      const packId = await addPack(world, { id: `midnight-${n}`, supply: 1 })
      expectStatus(201, await start(fan, packId))
      world.clock.advance(HOLD - 1)
      expect(await remaining(world, packId)).toBe(0)
      world.clock.advance(1)
      expect(await remaining(world, packId)).toBe(1)
    })
  }
})

/** JavaScript has no leap seconds: one that RFC 3339 allows is read as the second after it. */
describe('A leap second', () => {
  const LEAP = '2016-12-31T23:59:60.000Z'

  test('is valid in a catalogue, and the hour 24 is not', () => {
    const entry = { id: 'r', title: 'r', description: 'r', itemType: 'voucher', pointsRequired: 0 }
    for (const [startsAt, sound] of [
      ['2016-12-31T23:59:59.999Z', true],
      [LEAP, true],
      ['2016-12-31T23:59:60Z', true],
      ['2016-12-30T23:59:60Z', false],
      ['2016-12-31T24:00:00.000Z', false],
    ] as const) {
      expect([startsAt, Value.Check(RewardEntry, { ...entry, startsAt })]).toEqual([startsAt, sound])
    }
  })

  test('in a claim of the provider is the second after it', () => {
    const now = new Date('2026-08-15T18:30:00.000Z')
    const statement = { statedAt: now, now, complete: true }
    const { claims, refused } = parseClaims('fan', { updated_at: LEAP }, statement)
    expect([claims.updatedAt.toISOString(), refused]).toEqual(['2017-01-01T00:00:00.000Z', []])
  })
})

onEachEngine('A leap second as the time of an event', world => {
  test('is refused with 422, and the same delivery with a valid time is accepted', async () => {
    const fan = await patientFan(world)
    expectStatus(200, await fan.post('/api/user/onboarding', {}))
    world.clock.advance(1000)
    const event = updated(world, fan.subject, { name: 'New Name' })
    const refused = await deliver(world, { ...event, timestamp: '2026-08-15T23:59:60.000Z' })
    expect([...refusal(refused), refused.body.errors[0].pointer]).toEqual([
      422,
      'validation_failed',
      '/timestamp',
    ])
    expect((await deliver(world, event)).status).toBe(204)
    expect((await fan.get('/api/user/profile')).body.displayName).toBe('New Name')
  })
})
