/** Sessions that the provider of the staff ends: OpenID Connect Back-Channel Logout 1.0. */
import { decodeJwt, errors } from 'jose'
import type { Transaction } from '../../../../db/index.ts'
import { DomainError } from '../../../core/problems.ts'
import { providerIdOf } from '../../../core/staff-ids.ts'
import { ProviderError } from '../../../platform/identity-provider/fetch-json.ts'
import { providerProblems } from '../../../platform/identity-provider/problems.ts'
import { useOnce } from '../../auth/single-use.ts'
import { recordAction } from '../audit/record.ts'
import { consoleProblems } from '../problems.ts'
import { endSessionsAtProvider, type ProviderLogout } from '../sessions/provider-sessions.ts'
import { endSessionsOf } from '../sessions/staff-sessions.ts'
import { PROVIDER } from '../staff.ts'
import { createStaffProvider, LEEWAY_SECONDS, type StaffProviderDeps } from './provider.ts'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Providers send a token at once, and retry for a while. */
const MAX_AGE_SECONDS = 600
const TYPES = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']

/** The refusal of an invalid token. The message is for the log and contains no value of the token. */
const refused = (detail: string) =>
  new DomainError(consoleProblems.logout_token_not_valid, {
    detail,
    security: { event: 'console_logout_refused' },
  })

/** Reads logout tokens. @throws DomainError `logout_token_not_valid`, `identity_provider_unavailable` */
export function createLogoutReader(deps: StaffProviderDeps) {
  const { discover, issuers, verify } = createStaffProvider(deps)
  const { clientId, issuer } = deps.provider

  /** Checked before the provider is asked for its keys. */
  function requireAddressed(token: string) {
    let claims: ReturnType<typeof decodeJwt>
    try {
      claims = decodeJwt(token)
    } catch {
      throw refused('It is no token.')
    }
    if (!issuers.includes(claims.iss ?? '') || ![claims.aud].flat().includes(clientId))
      throw refused('It is of another issuer, or for another client.')
  }

  return async (token: string): Promise<LogoutRequest> => {
    requireAddressed(token)
    try {
      const { endpoints } = await discover()
      const options = { maxTokenAge: MAX_AGE_SECONDS }
      const { payload, protectedHeader } = await verify(token, endpoints, options)
      const { sub, sid, iat = 0, jti, nonce, events } = payload
      // An ID token, which has a nonce and no such event, must not be accepted.
      const isOther = !TYPES.includes(protectedHeader.typ?.toLowerCase()) || nonce !== undefined
      if (isOther || typeof jti !== 'string' || !isLogout(events)) throw refused('It is no logout token.')
      const person = typeof sub === 'string' ? providerIdOf(issuer, sub) : null
      const session = typeof sid === 'string' ? sid : null
      if (person === null && session === null) throw refused('It names neither a person nor a session.')
      // A repeated token does not end sessions that began after it was issued.
      return {
        person,
        session,
        until: new Date((iat + LEEWAY_SECONDS) * 1_000),
        token: {
          id: `logout:${issuer}:${jti}`,
          expiresAt: new Date((iat + MAX_AGE_SECONDS + 2 * LEEWAY_SECONDS) * 1_000),
        },
      }
    } catch (error) {
      if (error instanceof errors.JOSEError) throw refused(`It does not verify: ${error.code}.`)
      if (error instanceof ProviderError)
        throw new DomainError(providerProblems.identity_provider_unavailable, {
          retryAfter: error.retryAfter,
        })
      throw error
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isLogout = (events: unknown): boolean =>
  isObject(events) && Object.hasOwn(events, EVENT) && isObject(events[EVENT])

interface LogoutRequest extends ProviderLogout {
  /** The token is used once. */
  token: { id: string; expiresAt: Date }
}

/** Returns how many sessions ended: none for a used token. Each is recorded in the audit log. */
export async function logOutAtProvider(
  tx: Transaction,
  { token, ...logout }: LogoutRequest,
): Promise<number> {
  if (!(await useOnce(tx, token.id, token.expiresAt))) return 0
  const ended = await endSessionsAtProvider(tx, logout)
  for (const { id, staffId } of ended)
    await recordAction(tx, {
      staff: PROVIDER,
      operation: 'endProviderSessions',
      subject: { kind: 'session', id },
      detail: { staffId },
    })
  return ended.length
}

/** Ends sessions, links and requests of a person who no longer has a role at the provider. */
export async function logOutWithoutRole(tx: Transaction, staffId: string): Promise<void> {
  const { ended, requests } = await endSessionsOf(tx, staffId, PROVIDER)
  if (ended + requests === 0) return
  const subject = { kind: 'staff', id: staffId }
  const action = { staff: PROVIDER, operation: 'endProviderSessions', subject }
  await recordAction(tx, { ...action, detail: { ended, requests } })
}
