/** `requires.holds` of the catalogue: imported, compared and shown. */
import { expect, test } from 'bun:test'
import { isValid } from '../../../src/core/formats.ts'
import { entryKinds } from '../../../src/play/catalogue-file/kinds.ts'
import { RewardEntry } from '../../../src/play/rewards/reward-kind.ts'
import { onEachEngine } from '../../support/world.ts'
import { addProduct, entryOf } from '../shop/products-world.ts'

const CONTRACT = '0x5B38Da6a701c568545dCfcB03FcB875f56beddC4'
const holds = { chainId: 1, contract: CONTRACT, minimum: '1000000000000000000000' }
const shown = { ...holds, contract: CONTRACT.toLowerCase() }

onEachEngine('Entries for holders of a token', world => {
  const rewardOf = (requires: RewardEntry['requires']): RewardEntry => ({
    ...{ id: 'for-holders', title: 'For holders', description: 'A scarf.', itemType: 'scarf' },
    ...{ pointsRequired: 0, requires },
  })
  const importReward = (entry: RewardEntry) => world.db.write(tx => entryKinds.reward.upsert(tx, entry))

  test('a reward shows what it requires, in one form, and an import tells what changes', async () => {
    const fan = await world.fan()
    const requiredNow = async () =>
      (await fan.get('/api/rewards')).body.rewards.find(({ id }: { id: string }) => id === 'for-holders')
        .requires
    expect((await importReward(rewardOf({ holds }))).outcome).toBe('created')
    expect(await requiredNow()).toEqual({ holds: shown })
    expect((await importReward(rewardOf({ holds: shown }))).outcome).toBe('unchanged')
    const more = { holds: { ...holds, minimum: '2' } }
    expect(await importReward(rewardOf(more))).toEqual({
      outcome: 'changed',
      members: { requires: [{ holds: shown }, { holds: { ...shown, minimum: '2' } }] },
    })
    expect((await importReward(rewardOf(null))).outcome).toBe('changed')
    expect(await requiredNow()).toEqual({})
  })

  test('a product shows it together with its other requirements', async () => {
    const entry = entryOf({ requires: { points: 5, holds } })
    expect((await addProduct(world, entry)).outcome).toBe('created')
    expect((await world.anonymous.get(`/api/products/${entry.id}`)).body.requires).toEqual({
      ...{ points: 5, holds: shown },
    })
    expect((await addProduct(world, entry)).outcome).toBe('unchanged')
  })

  test.each([
    ['a contract with hostile text', { contract: '0x<script>alert(1)</script>00000000000000000' }],
    ['a name instead of a contract', { contract: 'vitalik.eth' }],
    ['a minimum of nothing', { minimum: '0' }],
    ['a minimum with decimals', { minimum: '1.5' }],
    ['a number as minimum', { minimum: 1 }],
    ['no chain', { chainId: 0 }],
  ])('is refused with %s', (_, fields) => {
    const entry = { ...rewardOf({ holds }), requires: { holds: { ...holds, ...fields } } }
    expect(isValid(RewardEntry, entry)).toBe(false)
    expect(isValid(RewardEntry, rewardOf({ holds }))).toBe(true)
  })
})
