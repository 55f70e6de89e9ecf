/** Security events in the log. Alerts match `event`, so names and meanings are stable. docs/security.md lists them. */
import type { Logger } from 'pino'

export const SECURITY_EVENTS = {
  refresh_token_reused: 'a refresh token was used again: its session has ended',
  webhook_signature_invalid: 'a webhook delivery was refused: its signature does not verify',
  logout_everywhere: 'a user ended all of their sessions',
  account_deleted: 'a user deleted their account',
  deleted_user_token_used: 'a token of a deleted or erased user was refused',
} as const

export type SecurityEvent = keyof typeof SECURITY_EVENTS

/** Ids only: the log must not contain personal data. */
export interface SecurityEventMembers {
  requestId?: string
  userId?: string
  sessionId?: string
  /** Path of the operation. */
  path?: string
}

export function logSecurityEvent(log: Logger, event: SecurityEvent, members: SecurityEventMembers): void {
  log.warn({ event, ...members }, SECURITY_EVENTS[event])
}
