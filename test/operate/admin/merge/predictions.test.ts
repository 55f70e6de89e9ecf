/** Predictions of fans who are merged: open ones move, and what a corrected result adds goes to the fan that remains. */
import { expect, test } from 'bun:test'
import { verifyLedger } from '../../../../src/audit/runs/verify-ledger.ts'
import { mergeFans } from '../../../../src/operate/admin/merge/merge-fans.ts'
import { expectStatus, patientFan, userIdOf } from '../../../play/packs/packs-world.ts'
import { addMatch, addPredictor, predict, settleAll } from '../../../play/predictions/match-world.ts'
import { type Fan, onEachEngine } from '../../../support/world.ts'

onEachEngine('Predictions of merged fans', world => {
  async function merge(from: Fan, into: Fan) {
    const [fromId = '', intoId = ''] = [await userIdOf(world, from), await userIdOf(world, into)]
    const request = { from: fromId, into: intoId, mergedBy: 'Ana', reason: null }
    return world.db.write(tx => mergeFans(tx, request))
  }
  const balanceOf = async (fan: Fan) => expectStatus(200, await fan.get('/api/user/points')).balance
  async function expectSound() {
    const found: unknown[] = []
    await verifyLedger(world.db, { onFinding: finding => found.push(finding) })
    expect(found).toEqual([])
  }

  test('an open prediction moves, and is settled for the remaining fan; if both have one, that of the remaining fan is kept', async () => {
    const [own, both] = [await addMatch(world), await addMatch(world)]
    const from = await addPredictor(world, own.matchId, 2, 1)
    await predict(from, both.matchId, 2, 1)
    const into = await addPredictor(world, both.matchId, 0, 0)
    expect((await merge(from, into)).predictions).toBe(1)
    world.clock.advance(3_700_000)
    for (const match of [own, both]) await match.finish(2, 1)
    await settleAll(world)
    const { predictions } = expectStatus(200, await into.get('/api/user/predictions'))
    expect(
      predictions.map(({ settled }: { settled: { exact: boolean } }) => settled.exact).toSorted(),
    ).toEqual([false, true])
    expect(await balanceOf(into)).toBeGreaterThan(0)
    await expectSound()
  })

  test('a result that is corrected after a chain of merges gives its points to the remaining fan', async () => {
    const match = await addMatch(world, { season: '2026/27' })
    const from = await addPredictor(world, match.matchId, 3, 1)
    const [middle, into] = [await patientFan(world), await patientFan(world)]
    for (const fan of [middle, into]) await fan.put('/api/user/leaderboard-membership', {})
    world.clock.advance(3_700_000)
    await match.finish(0, 2)
    await settleAll(world)
    await merge(from, middle)
    await merge(middle, into)
    const before = await balanceOf(into)
    await match.finish(3, 1)
    await settleAll(world)
    const after = await balanceOf(into)
    expect(after).toBeGreaterThan(before)
    const board = expectStatus(200, await into.get('/api/leaderboard?kind=predictions'))
    expect(board.me.points).toBe(after - before)
    await expectSound()
  })
})
