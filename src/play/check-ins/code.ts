/**
 * Codes that a screen at the gate shows. A code is the id of the match with a MAC of the id and of a step of 30 seconds. So
 * no code is stored, and every instance makes the same codes.
 */
import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../core/constant-time.ts'
import { deriveKey } from '../../core/derived-key.ts'

const STEP_MS = 30_000
/** A code works in its own step and in the next one. */
const STEPS = 2
const MAC_BYTES = 16

export type CheckInCodes = ReturnType<typeof createCheckInCodes>

/** `secret`: any high-entropy text that all instances share. */
export function createCheckInCodes(secret: string) {
  const key = deriveKey(secret, 'check-in codes')
  const macOf = (matchId: string, step: number) =>
    createHmac('sha256', key)
      .update(JSON.stringify([matchId, step]))
      .digest()
      .subarray(0, MAC_BYTES)
      .toString('base64url')
  const stepAt = (now: Date) => Math.floor(now.getTime() / STEP_MS)

  return {
    /** The code of the current step. `validUntil` is exclusive. */
    issue(matchId: string, now: Date) {
      const step = stepAt(now)
      return { code: `${matchId}.${macOf(matchId, step)}`, validUntil: new Date((step + STEPS) * STEP_MS) }
    },
    /** The match of a code; null if it is forged or no longer valid. */
    matchOf(code: string, now: Date): string | null {
      const dot = code.lastIndexOf('.')
      const [matchId, mac] = [code.slice(0, Math.max(dot, 0)), code.slice(dot + 1)]
      const steps = Array.from({ length: STEPS }, (_, age) => stepAt(now) - age)
      return steps.some(step => isSameSecret(mac, macOf(matchId, step))) ? matchId : null
    },
  }
}
