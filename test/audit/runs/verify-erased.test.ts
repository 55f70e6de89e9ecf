/** Verifications do not report data that an erasure deleted or replaced. */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { eraseUser } from '../../../src/fan/account/erase-user.ts'
import { eventOf } from '../../economy/events/events-world.ts'
import { addRule, unique } from '../../economy/rules/rules-world.ts'
import { namedFan } from '../../identity/relations/relations-world.ts'
import { addPack, buy, expectStatus, FREE, open, patientFan } from '../../play/packs/packs-world.ts'
import { addStock, buyWithMoney } from '../../play/shop/orders-world.ts'
import { onEachEngine } from '../../support/world.ts'

onEachEngine('The verifications after an erasure', world => {
  test('find nothing', async () => {
    const fan = await patientFan(world)
    const packId = await addPack(world, { price: FREE, itemsPerPack: 3 })
    for (const seed of ['Ada, 10 December', undefined])
      expectStatus(200, await open(fan, (await buy(fan, packId)).userPack.id, seed))
    const warehouse = world.withToken(await world.serverKey(['orders:write']))
    const { id } = await buyWithMoney(fan, await addStock(world, 3))
    for (const body of [{ state: 'ready' }, { state: 'shipped', carrier: 'CTT', tracking: 'RR1' }])
      expectStatus(200, await warehouse.put(`/api/orders/${id}/lines/1`, body))
    const shop = world.withToken(await world.serverKey(['events:write']))
    const { eventType: type } = await addRule(world, { limit: { count: 1, per: 'ever' } })
    const who = { provider: world.config.identity.name, subject: fan.subject }
    const receipt = () => ({ ...eventOf(world, { fan: who, type }), id: unique('receipt') })
    const [earning, limited, voided, early] = [receipt(), receipt(), receipt(), receipt()]
    await shop.post('/api/events/void', { id: early.id })
    expectStatus(200, await shop.post('/api/events', { events: [earning, limited, voided, early] }))
    expectStatus(200, await shop.post('/api/events/void', { id: voided.id }))
    await fan.put(`/api/user/following/${(await namedFan(world)).handle}`)

    await world.db.write(tx => eraseUser(tx, who))
    const findings: unknown[] = []
    const onFinding = (finding: unknown) => void findings.push(finding)
    await verifyLedger(world.db, { onFinding })
    await verifyQuests(world.db, { onFinding })
    expect(findings).toEqual([])
  })
})
