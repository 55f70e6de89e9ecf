/** Security events in the log. Alerts match `securityEvent`, so names and meanings are stable. docs/security.md lists them. */
import type { Logger } from 'pino'

export const SECURITY_EVENTS = {
  refresh_token_reused: 'a refresh token was used again: its session has ended',
  ended_session_used: 'a native token or a refresh token of an ended session was refused',
  webhook_signature_invalid: 'a webhook delivery was refused: its signature does not verify',
  logout_everywhere: 'a user ended all of their sessions',
  account_deleted: 'a user deleted their account',
  deleted_user_token_used: 'a token of a deleted or erased user was refused',
  checked_in_at_two_places: 'a fan checked in at two matches in different places at the same time',
  revoked_server_key_used: 'a revoked server key was refused',
  redemption_limit_reached: 'a source has reached its limit of redemption codes',
  code_limit_reached: 'a fan or an address has reached the limit of unknown codes of campaigns',
  withdrawal_limit_reached:
    'an order, an e-mail address or a network address has reached the limit of withdrawals without sign-in',
  sign_in_limit_reached: 'an address has reached its limit of sign-in requests',
  console_link_reused: 'a link of the console was used again, and refused',
  console_link_refused: 'a link of the console that is unknown or has expired was refused',
  console_sign_in_refused: 'a sign-in to the console by the provider of the staff was refused',
  console_logout_refused: 'a logout token for sessions of the console was refused',
} as const

export type SecurityEvent = keyof typeof SECURITY_EVENTS

/** Ids only: the log must not contain personal data. */
export interface SecurityEventMembers {
  requestId?: string
  userId?: string
  sessionId?: string
  /** Source of a server key. */
  source?: string
  /** Path of the operation. */
  path?: string
}

/** Lines of one event in a second. */
const MAX_LINES = 10
const SUMMARY_EVERY_MS = 1_000

interface Second {
  lines: number
  unlogged: number
}

/** By log, since a process may have several. */
const currentSeconds = new WeakMap<Logger, Map<SecurityEvent, Second>>()

/**
 * After ten lines in a second, further events with the same name share a line with their `count`, so that no
 * client can flood the log.
 */
export function logSecurityEvent(
  log: Logger,
  securityEvent: SecurityEvent,
  members: SecurityEventMembers,
): void {
  const second = secondOf(log, securityEvent)
  if (second.lines === MAX_LINES) {
    second.unlogged++
    return
  }
  second.lines++
  log.warn({ securityEvent, ...members }, SECURITY_EVENTS[securityEvent])
}

function secondOf(log: Logger, securityEvent: SecurityEvent): Second {
  const ofLog = currentSeconds.getOrInsertComputed(log, () => new Map())
  return ofLog.getOrInsertComputed(securityEvent, () => {
    const second = { lines: 0, unlogged: 0 }
    setTimeout(() => {
      ofLog.delete(securityEvent)
      if (second.unlogged > 0) log.warn({ securityEvent, count: second.unlogged }, 'further security events')
    }, SUMMARY_EVERY_MS).unref()
    return second
  })
}
