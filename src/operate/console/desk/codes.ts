/** Codes at the desk of the staff: looked up, then used once. */
import { hash } from 'node:crypto'
import type { Reader } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { findLastAction } from '../../../identity/staff/audit/read.ts'
import type { Subject } from '../../../identity/staff/audit/record.ts'
import type { Staff } from '../../../identity/staff/staff.ts'
import { readHandles } from '../../../identity/users/handles.ts'
import { rewardProblems } from '../../../play/rewards/problems.ts'
import { normalizeRedemptionCode } from '../../../play/rewards/redemption-code.ts'
import type { Redemption } from '../../../play/rewards/redemption-schema.ts'
import { type CodeSource, lookUpRedemption } from '../../../play/rewards/redemptions.ts'
import { isVoidedVoucher } from '../../../play/shop/vouchers.ts'
import type { DeskCode } from './schema.ts'

/** `usedBy` of a code. Only the audit log has the person, since fans and the club's systems must not see names of staff. */
export const CONSOLE_SOURCE = 'console'

/** Id of the operation that uses a code. */
export const USE_OPERATION = 'useCode'

/** The audit log contains only a fingerprint of the code: after an undone use, the code itself would be worth its reward. */
export const codeSubject = (text: string): Subject => ({
  kind: 'code',
  id: hash('sha256', `desk ${normalizeRedemptionCode(text) ?? ''}`, 'hex').slice(0, 32),
})

/** The goods of a code, its fan, and whether it can be used. @throws DomainError `redemption_not_found` */
export async function lookUpCode(
  reader: Reader,
  sources: readonly CodeSource[],
  staff: Staff,
  text: string,
): Promise<DeskCode> {
  return presentCode(reader, staff, await explainMissing(reader, sources, text))
}

export async function presentCode(reader: Reader, staff: Staff, redemption: Redemption): Promise<DeskCode> {
  const { code, reward, order, fan, redeemedAt, usedAt } = redemption
  const { title, description, imageUrl } = reward
  const handles = await readHandles(reader, [fan.id])
  return {
    code,
    title,
    description,
    imageUrl,
    redeemedAt,
    kind: order === null ? 'reward' : 'voucher',
    state: usedAt === null ? 'valid' : 'used',
    fan: { id: fan.id, handle: handles.get(fan.id) ?? null },
    orderId: order?.id ?? null,
    use: usedAt === null ? null : { at: usedAt, ...(await userOf(reader, staff, redemption)) },
  }
}

/** Explains a missing code: a void voucher differs from a code that nobody has. */
async function explainMissing(reader: Reader, sources: readonly CodeSource[], text: string) {
  try {
    return await lookUpRedemption(reader, sources, text)
  } catch (error) {
    const code = normalizeRedemptionCode(text)
    if (!(error instanceof DomainError)) throw error
    const detail =
      code === null
        ? 'This is not a code: a code has 16 letters and digits.'
        : (await isVoidedVoucher(reader, code))
          ? 'The voucher is void: its order was refunded, or its fan was erased.'
          : 'No reward and no voucher has this code. Compare it with the one that the fan shows.'
    throw new DomainError(rewardProblems.redemption_not_found, { detail })
  }
}

async function userOf(reader: Reader, staff: Staff, { code, usedBy }: Redemption) {
  if (usedBy !== CONSOLE_SOURCE) return { by: usedBy ?? '', byYou: false }
  const use = await readLastUse(reader, code)
  return { by: use?.staffName ?? 'the console', byYou: use?.staffId === staff.id }
}

/** The last use of a code in the console, from the audit log. */
const readLastUse = (reader: Reader, text: string) => findLastAction(reader, codeSubject(text), USE_OPERATION)

/** Whether this same request made the last use, so that it is a retry after a lost response. */
export async function wasUsedByRequest(
  reader: Reader,
  staff: Staff,
  text: string,
  requestId: string,
): Promise<boolean> {
  const use = await readLastUse(reader, text)
  // Guarantee of the cast: the operation writes it.
  const detail = use?.detail ? (JSON.parse(use.detail) as { requestId?: string }) : null
  return use?.staffId === staff.id && detail?.requestId === requestId
}
