/**
 * A process that acts for fans and for staff, three units of work at a time: `bun acting-process.ts DATABASE_URL FILE NAME`. FILE has the
 * work of each process by its NAME, as JSON. Prints how many had each outcome. With `crashes` it ends by SIGKILL after a part of a task.
 */
import { readFileSync } from 'node:fs'
import type { Transaction } from '../../db/index.ts'
import { DomainError } from '../../src/core/problems.ts'
import { realSources } from '../../src/core/sources.ts'
import { settleAccounts } from '../../src/economy/accounts/settle.ts'
import { writeEvent } from '../../src/economy/events/record-event.ts'
import { voidEvent } from '../../src/economy/events/void-event.ts'
import { grantPoints } from '../../src/economy/points/grants.ts'
import { eraseUser } from '../../src/fan/account/erase-user.ts'
import { lockCaller } from '../../src/identity/users/callers.ts'
import { resolveFan } from '../../src/identity/users/fan-reference.ts'
import { mergeFans } from '../../src/operate/admin/merge/merge-fans.ts'
import { redeemCode } from '../../src/play/codes/redeem.ts'
import { claimReward } from '../../src/play/rewards/claim.ts'
import { undoClaim } from '../../src/play/rewards/corrections.ts'
import { openPatiently, POOL_SIZE } from './patience.ts'

export type Step =
  | {
      kind: 'earn'
      eventId: string
      userId: string
      type: string
      points: number
      /** Null: now. */
      occurredAt: string | null
    }
  | { kind: 'void'; eventId: string }
  | { kind: 'grant'; userId: string; account: string; ref: string; delta: number }
  | { kind: 'merge'; from: string; into: string }
  | { kind: 'erase'; userId: string }
  | { kind: 'claim'; userId: string; rewardId: string }
  | { kind: 'undo'; userId: string; rewardId: string }
  | { kind: 'redeem'; userId: string; code: string }
  | { kind: 'settle' }

export interface Work {
  steps: Step[]
  crashes?: boolean
  /** Whether the outcomes have `attempts`: how often a unit of work began. */
  countsAttempts?: boolean
}

const AT_ONCE = 3

async function take(tx: Transaction, step: Exclude<Step, { kind: 'settle' }>): Promise<unknown> {
  switch (step.kind) {
    case 'earn': {
      const { eventId, type, points } = step
      const occurredAt = step.occurredAt === null ? tx.now() : new Date(step.occurredAt)
      const fan = await resolveFan(tx, { userId: step.userId }, { provider: '' })
      if ('missing' in fan) return
      const { userId } = fan
      return writeEvent(tx, { source: 'gate', eventId, userId, type, occurredAt, data: { points } })
    }
    case 'void':
      return voidEvent(tx, { source: 'gate', eventId: step.eventId })
    case 'merge':
      return mergeFans(tx, { from: step.from, into: step.into, mergedBy: 'Ana', reason: null })
    case 'erase':
      return eraseUser(tx, { id: step.userId })
    case 'grant': {
      const { userId, account, ref, delta } = step
      return grantPoints(tx, { source: 'desk', provider: '' }, { fan: { userId }, delta, ref, account })
    }
    case 'undo': {
      const { userId, rewardId } = step
      await lockCaller(tx, { provider: '', subject: '', userId })
      return undoClaim(tx, { userId, rewardId })
    }
  }
  // What fans send: it is refused for one who was merged or erased.
  const fan = await lockCaller(tx, { provider: '', subject: '', userId: step.userId })
  return step.kind === 'claim'
    ? claimReward(tx, fan, { rewardId: step.rewardId })
    : redeemCode(tx, fan, { code: step.code })
}

const [url = '', file = '', name = ''] = process.argv.slice(2)
const db = openPatiently(url, realSources, { postgres: { poolSize: POOL_SIZE } })
const { steps, crashes = false, countsAttempts = false }: Work = JSON.parse(readFileSync(file, 'utf8'))[name]
const outcomes: Record<string, number> = {}
let parts = 0
let attempts = 0
const act = async (step: Step): Promise<string> => {
  if (step.kind === 'settle') {
    await settleAccounts({ db }, () => {
      // Before the second part: the first is committed.
      if (crashes && ++parts === 2) process.kill(process.pid, 'SIGKILL')
      return false
    })
    return 'settle'
  }
  try {
    await db.write(tx => {
      attempts++
      return take(tx, step)
    })
    return step.kind
  } catch (error) {
    if (error instanceof DomainError) return error.code
    throw error
  }
}
const rest = steps.values()
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (const step of rest) {
      const outcome = await act(step)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }),
)
await db.close()
if (countsAttempts) outcomes.attempts = attempts
process.stdout.write(JSON.stringify(outcomes))
