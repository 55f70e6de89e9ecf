/** `bun run redeem-code CODE`: uses a redemption code, for a desk without its own system. */
import { lookUpRedemption, rewardCodes, useRedemption } from '../src/play/rewards/redemptions.ts'
import { voucherCodes } from '../src/play/shop/vouchers.ts'
import { declareCommand, runCommand } from './command/command.ts'

const command = declareCommand({
  name: 'redeem-code',
  summary: 'Uses the redemption code that a fan shows, once.',
  examples: [
    ['7Q2M-X9KD-4T0B-HW5E --dry-run', 'shows the reward and the fan, without using the code'],
    ["'7q2m x9kd 4tob hw5e'", 'uses the code: case, O and 0, I, L and 1, spaces and dashes do not matter'],
  ],
  changes: true,
}).argument('<code>', 'the code')

const SOURCES = [rewardCodes, voucherCodes]

await runCommand(command, async ({ parameters: [code], options: { dryRun }, openDatabase }) => {
  const db = await openDatabase()
  const redemption = dryRun
    ? await lookUpRedemption(db.read, SOURCES, code)
    : await db.write(tx => useRedemption(tx, SOURCES, 'operator', code))
  const { reward, fan, redeemedAt, usedAt, usedBy } = redemption
  const used = usedAt === null ? 'not used yet' : `used by ${usedBy} at ${usedAt}`
  const lines = [
    `${redemption.code}  ${used}`,
    `  reward    ${reward.title} (${reward.id})`,
    `  fan       ${fan.displayName ?? 'without a name'} (${fan.id})`,
    `  redeemed  ${redeemedAt}`,
  ]
  const isRefused = dryRun && usedAt !== null
  return {
    json: redemption,
    text: lines.join('\n'),
    found: isRefused,
    changed: isRefused ? 0 : 1,
    textHasSummary: true,
  }
})
