/**
 * Which events of the application rules and quests can listen to. An event that earns must be undone with its cause, and must not be
 * free and repeatable. A new type fails here until it is decided.
 */
import { describe, expect, test } from 'bun:test'
import { verifyLedger } from '../../../src/audit/runs/verify-ledger.ts'
import { verifyQuests } from '../../../src/audit/runs/verify-quests.ts'
import { eventTypeFaults, isHeard } from '../../../src/club/catalogue/conditions.ts'
import { applicationEvents, matchUpdated, messageTypes } from '../../../src/economy/events/types.ts'
import { refund } from '../../../src/play/purchases/refund.ts'
import { orderKind } from '../../../src/play/shop/order-kind.ts'
import { balanceOf, expectStatus, patientFan } from '../../play/packs/packs-world.ts'
import { addQuest, read } from '../../play/quests/quests-world.ts'
import { addStock, buyWithMoney, cancelOrder, checkout } from '../../play/shop/orders-world.ts'
import { linkAccount, newAccount, unlink } from '../../play/wallets/wallets-world.ts'
import { onEachEngine } from '../../support/world.ts'
import { addRule } from '../rules/rules-world.ts'

/** How often the event can occur, and what voids it. */
const HEARD: Record<string, string> = {
  'onboarding.completed': 'once per fan',
  'profile.completed': 'once per fan',
  'reward.claimed': 'once per reward; voided when staff undo the claim, and with a claim that a merge ends',
  'reward.redeemed': 'once per claim; voided with it',
  'purchase.completed': 'paid; voided by the refund',
  'pack.opened': 'once per pack; voided by the refund of its purchase',
  'set.completed': 'once per set; a completed set stays completed',
  'code.redeemed': 'once per code and as often as its campaign says; a redemption is final',
  'referral.completed':
    'once per invited fan and within the limit of a month; voided with the event that completed it',
  'division.promoted': 'once per period and division; the result stays when points are taken back',
  'division.relegated': 'once per period and division; the result stays when points are taken back',
  'membership.started': 'once per membership; written by a key with memberships:write',
  'membership.renewed': 'once per change; written by a key with memberships:write',
  'membership.ended': 'once per membership; written by a key with memberships:write, or at its end',
  'trade.completed': 'takes two fans, and items that somebody has; a rule needs a limit',
  'order.paid': 'paid; voided by the refund',
  'wallet.linked': 'at most ten at a time; voided by the unlinking',
  'match.checked_in': 'once per match, by the code at the gate',
  'prediction.settled': 'once per match; voided by a corrected result',
  'question.voted': 'once per question; staff, or a key with questions:write, write questions',
  'question.answered': 'once per question; voided by a corrected answer',
  'quest.completed': 'once per period; voided when what completed it is',
}

const UNHEARD: Record<string, string> = {
  'points.changed': 'would listen to itself',
  'cash.changed': 'cash earns nothing',
  'points.expiring': 'nobody did anything; points that end would never end',
  'match.updated': 'is of no fan',
  'league.round_closed': 'in leagues that fans create, as many as they like',
  'fan.merged': 'by staff',
  'report.resolved': 'points for reports',
  'sanction.applied': 'by one moderator, again and again',
  'sanction.lifted': 'by one moderator, again and again',
  'appeal.decided': 'by moderators',
  'reward.claim_undone': 'a taking-back, by one of support',
  'reward.code_replaced': 'by one of support, again and again',
  'reward.use_undone': 'a taking-back, by staff',
  'purchase.refunded': 'a taking-back, for nothing by a refund of a store',
  'order.withdrawn': 'by the fan alone; what it takes back is voided',
  'order.created': 'by the fan alone, unpaid',
  'order.expired': 'by the fan alone, unpaid',
  'order.cancelled': 'by the fan alone, unpaid',
  'order.refund_due': 'a taking-back',
  'order.refunded': 'a taking-back, for nothing by a refund of a store',
  'order.line_changed': 'by one of support or a key with orders:write; stays after the refund',
  'trade.offered': 'by the fan alone, who withdraws it',
  'tier.reached': 'a rule could pay into the account again',
  'tier.at_risk': 'nobody did anything',
  'tier.lost': 'a taking-back',
  'segment.entered': 'what a rule gives can change the segment again',
  'segment.left': 'what a rule gives can change the segment again',
  'consent.changed': 'by the fan alone, who withdraws it',
}

const SHIPPED: Record<string, object> = { shipped: { carrier: 'CTT', tracking: 'RR1' } }
const SENTENCE = 'Rules and quests cannot listen to it.'
const schemas: Record<string, { description?: string }> = {
  ...applicationEvents,
  'match.updated': matchUpdated,
}

describe('a type of event', () => {
  test('is decided', () => {
    expect([...Object.keys(HEARD), ...Object.keys(UNHEARD)].toSorted()).toEqual([...messageTypes].toSorted())
    expect(messageTypes.filter(isHeard).toSorted()).toEqual(Object.keys(HEARD).toSorted())
  })

  test.each(messageTypes)('%s is described as it is', type => {
    expect(schemas[type]?.description?.includes(SENTENCE)).toBe(!isHeard(type))
  })

  test.each([
    ['order.created', ': use order.paid'],
    ['order.line_changed', ': use order.paid'],
    ['purchase.refunded', ': use purchase.completed'],
    ['reward.code_replaced', ': use reward.claimed'],
    ['trade.offered', ': use trade.completed'],
    ['points.changed', ''],
  ])('%s is refused where it is listened to', (type, use) => {
    const message = `must not be ${type}, which rules and quests cannot listen to${use}`
    expect(eventTypeFaults(type, '/eventType')).toEqual([{ pointer: '/eventType', message }])
  })
})

onEachEngine('Rules and quests', world => {
  async function expectSound() {
    const found: unknown[] = []
    const onFinding = (finding: unknown) => found.push(finding)
    await verifyLedger(world.db, { onFinding })
    await verifyQuests(world.db, { onFinding })
    expect(found).toEqual([])
  }

  test('that an earlier version stored for a type without listeners earn nothing', async () => {
    // Written without the checks of an import.
    for (const eventType of ['order.created', 'order.line_changed', 'order.cancelled', 'order.refunded'])
      await addRule(world, { eventType, points: { fixed: 7 } })
    const steps = [{ eventType: 'order.created' }, { eventType: 'order.line_changed' }]
    const quests = await Promise.all(
      steps.map(step => addQuest(world, { steps: [step], reward: { points: 3 } })),
    )
    await addRule(world, { eventType: 'order.paid', points: { fixed: 20 } })
    const fan = await patientFan(world)
    const scarf = await addStock(world, 9)
    for (const _ of [1, 2, 3]) await cancelOrder(fan, expectStatus(201, await checkout(fan, scarf)).id)
    expect((await balanceOf(fan)).balance).toBe(0)
    const { id } = await buyWithMoney(fan, scarf)
    const warehouse = world.withToken(await world.serverKey(['orders:write']))
    for (const state of ['ready', 'shipped', 'delivered'])
      expectStatus(200, await warehouse.put(`/api/orders/${id}/lines/1`, { state, ...SHIPPED[state] }))
    expect((await balanceOf(fan)).balance).toBe(20)
    await world.db.write(tx => refund(tx, orderKind, id))
    expect((await balanceOf(fan)).balance).toBe(0)
    for (const quest of quests) expect((await read(fan, quest)).state).toBe('in_progress')
    await expectSound()
  })

  test('give for a wallet as long as it is linked', async () => {
    await addRule(world, { eventType: 'wallet.linked', points: { fixed: 5 } })
    const fan = await patientFan(world)
    const account = newAccount()
    for (const _ of [1, 2, 3]) {
      expectStatus(201, await linkAccount(fan, account))
      expect((await balanceOf(fan)).balance).toBe(5)
      expectStatus(204, await unlink(fan, account.address))
      expect((await balanceOf(fan)).balance).toBe(0)
    }
    await expectSound()
  })
})
