/** Payment, shipping, return, use, withdrawal, dispute and refund in random order: what goes back is what is told, and never twice. */
import { test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'
import { cashEnv } from '../top-ups/cash-world.ts'
import { playWithdrawals } from './withdrawal-model.ts'
import { expectSound } from './withdrawals-world.ts'

const SEEDS = 40

onEachEngine(
  'Orders of which parts are withdrawn, in any order',
  world => {
    test('return no cent twice, and lose none', async () => {
      for (let seed = 1; seed <= SEEDS; seed++) await playWithdrawals(world, seed)
      await expectSound(world)
    })
  },
  { env: cashEnv },
)
