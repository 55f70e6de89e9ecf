/** The maximum of pending purchases of a pack per fan. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import {
  addPack,
  complete,
  expectStatus,
  FREE,
  HOLD,
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

    test('above PACK_HOLDS_PER_FAN a purchase of that pack is 409 too_many_holds, of another pack or fan it is not', async () => {
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
      await holdAll(fan, packId)
    })

    test('is checked after the supply and before the points', async () => {
      const fan = await patientFan(world, 300)
      const scarce = await addPack(world, { price: FREE, supply: 3 })
      await holdAll(fan, scarce)
      expect(refusal(await start(fan, scarce))).toEqual([409, 'sold_out'])
      const expensive = await addPack(world, { price: { amount: 300, currency: 'POINTS' } })
      await holdAll(fan, expensive)
      await world.grant(fan, -300)
      expect(refusal(await start(fan, expensive))).toEqual([409, 'too_many_holds'])
    })

    test('of twenty purchases at once no more are held than may be', async () => {
      const fan = await patientFan(world)
      const packId = await addPack(world, { price: FREE, supply: 20 })
      const answers = await Promise.all(Array.from({ length: 20 }, () => start(fan, packId)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
      expect(answers.filter(({ body }) => body.code === 'too_many_holds')).toHaveLength(17)
    })
  },
  { env: { PACK_HOLDS_PER_FAN: '3' } },
)
