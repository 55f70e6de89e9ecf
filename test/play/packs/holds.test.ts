/** The maximum of pending purchases of a pack per fan. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  complete,
  expectStatus,
  FREE,
  HOLD,
  MINUTE,
  patientFan,
  refusal,
  remaining,
  start,
} from './packs-world.ts'

onEachEngine(
  'holds of one fan',
  world => {
    const holdAll = async (fan: Awaited<ReturnType<typeof patientFan>>, packId: string) => {
      const ids: string[] = []
      for (let n = 0; n < 3; n++) ids.push(expectStatus(201, await start(fan, packId)).id)
      return ids
    }

    test('more than PACK_HOLDS_PER_FAN of one pack are 409 too_many_holds; other packs and fans are not affected', async () => {
      const [fan, other] = [await patientFan(world), await patientFan(world)]
      const packId = await addPack(world, { price: FREE, supply: 10 })
      await holdAll(fan, packId)
      expect(refusal(await start(fan, packId))).toEqual([409, 'too_many_holds'])
      expect(await remaining(world, packId)).toBe(7)
      expect((await start(other, packId)).status).toBe(201)
      expect((await start(fan, await addPack(world, { price: FREE }))).status).toBe(201)
    })

    test('neither a completed nor an expired purchase is a hold', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world, { price: FREE })
      const [first = ''] = await holdAll(fan, packId)
      expectStatus(200, await complete(fan, first))
      expect((await start(fan, packId)).status).toBe(201)
      expect(refusal(await start(fan, packId))).toEqual([409, 'too_many_holds'])
      world.clock.advance(HOLD)
      // Three quarters of an hour were not paid.
      expect(refusal(await start(fan, packId))).toEqual([429, 'rate_limited'])
      world.clock.advance(2 * MINUTE)
      await holdAll(fan, packId)
    })

    test('is checked after the supply and before the points', async () => {
      const fan = await patientFan(world, 900)
      const scarce = await addPack(world, { price: FREE, supply: 3 })
      await holdAll(fan, scarce)
      expect(refusal(await start(fan, scarce))).toEqual([409, 'sold_out'])
      const expensive = await addPack(world, { price: { amount: 300, currency: 'POINTS' } })
      await holdAll(fan, expensive)
      expect((await fan.get('/api/user/points')).body).toMatchObject({ balance: 900, held: 900 })
      expect(refusal(await start(fan, expensive))).toEqual([409, 'too_many_holds'])
    })

    test('twenty purchases at once do not exceed the maximum number of holds', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world, { price: FREE, supply: 20 })
      const answers = await Promise.all(Array.from({ length: 20 }, () => start(fan, packId)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
      expect(answers.filter(({ body }) => body.code === 'too_many_holds')).toHaveLength(17)
    })
  },
  { env: { PACK_HOLDS_PER_FAN: '3' } },
)
