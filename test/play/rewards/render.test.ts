/** The list as text is the list, byte for byte: whatever the reward, the fan's points, and what they did with it. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type OwnReward, presentReward, type RewardRow } from '../../../src/play/rewards/present.ts'
import { renderReward } from '../../../src/play/rewards/render.ts'

const now = new Date('2026-08-15T18:30:00.000Z')
const text = fc.oneof(fc.string(), fc.constantFrom('"', ',"unlocked":true', '\\', '\u2028', '🏆', ''))
const rewards: fc.Arbitrary<RewardRow> = fc.record({
  id: text,
  title: text,
  description: text,
  imageUrl: fc.option(text),
  itemType: text,
  sponsorId: fc.option(text),
  pointsRequired: fc.nat(),
  active: fc.constant(true),
  startsAt: fc.option(fc.constant(new Date(now.getTime() - 1))),
  endsAt: fc.option(fc.constant(new Date(now.getTime() + 1))),
  stockRemaining: fc.option(fc.nat(2)),
  requiredHolding: fc.option(
    fc.constant(JSON.stringify({ chainId: 1, contract: `0x${'a'.repeat(40)}`, minimum: '1' })),
  ),
  requires: fc.option(fc.constant(JSON.stringify({ points: 5 }))),
  translations: fc.option(text.map(title => JSON.stringify({ title: { pt: title, en: title } }))),
  createdAt: fc.constant(now),
  updatedAt: fc.constant(now),
})
const claims: fc.Arbitrary<Omit<OwnReward, 'rewardId'> | undefined> = fc.constantFrom(
  undefined,
  { claimedAt: now, redeemedAt: null, redemptionCode: null },
  { claimedAt: now, redeemedAt: now, redemptionCode: 'AAAA-BBBB-CCCC-DDDD' },
)

test('a rendered reward is the presented one as JSON, for one fan after another', () => {
  fc.assert(
    fc.property(rewards, fc.array(fc.tuple(fc.nat(), claims), { minLength: 1 }), (reward, fans) => {
      for (const [points, claim] of [...fans, [reward.pointsRequired, undefined] as const]) {
        const own = claim && { ...claim, rewardId: reward.id }
        for (const unmet of [undefined, [], ['insufficient_points' as const]]) {
          const facts = { own, points, unmet }
          expect(renderReward(reward, facts, now)).toBe(JSON.stringify(presentReward(reward, facts, now)))
        }
      }
    }),
  )
})
