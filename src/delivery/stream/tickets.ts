/**
 * Tickets: a caller's token for one request of `EventSource`, which can send no header. A ticket is encrypted and says whose
 * it is; the database only learns that it was used.
 */

import type { Database } from '../../../db/index.ts'
import { deriveKey } from '../../core/derived-key.ts'
import { createEncryption } from '../../core/encryption.ts'
import { DomainError } from '../../core/problems.ts'
import type { AppSources } from '../../core/sources.ts'
import { transportProblems } from '../../core/transport-problems.ts'
import { useOnce } from '../../identity/auth/single-use.ts'
import { checkStreamTokens, type StreamToken } from '../../identity/auth/stream-tokens.ts'

const TICKET_MS = 30_000
const PURPOSE = 'stream tickets'

type Tickets = ReturnType<typeof createTickets>

interface TicketOptions extends Pick<AppSources, 'now' | 'newId' | 'randomBytes'> {
  /** What all instances share. */
  secret: string
}

export function createTickets({ secret, now, newId, randomBytes }: TicketOptions) {
  const encryption = createEncryption(deriveKey(secret, PURPOSE))
  return {
    issue({ provider, subject, credential }: StreamToken) {
      const expiresAt = new Date(Math.min(now().getTime() + TICKET_MS, credential.expiresAt.getTime()))
      const content = { id: newId(), expiresAt, provider, subject, credential }
      return { ticket: encryption.encrypt(JSON.stringify(content), PURPOSE, randomBytes(12)), expiresAt }
    },
    /** The token of a ticket that is genuine and has not expired, with the id by which it is used once. */
    read(ticket: string): { token: StreamToken; id: string; expiresAt: Date } | null {
      const text = encryption.decrypt(ticket, PURPOSE)
      if (text === null) return null
      const { id, expiresAt, provider, subject, credential } = parse(text)
      return expiresAt <= now() ? null : { id, expiresAt, token: { provider, subject, credential } }
    },
  }
}

/** Guarantee of the cast: only `issue` writes what the key decrypts. */
const parse = (text: string) =>
  JSON.parse(text, (name, value) => (name.endsWith('At') ? new Date(value) : value)) as StreamToken & {
    id: string
    expiresAt: Date
  }

const REFUSED = 'The ticket was used before, has expired, or is not valid. Get another one.'

export interface TicketDeps {
  db: Database
  streamTickets: Tickets
}

/** The caller of a ticket, which is used up. @throws DomainError `invalid_token` */
export async function redeemTicket({ db, streamTickets }: TicketDeps, ticket: string) {
  const found = streamTickets.read(ticket)
  const isFirst = found && (await db.write(tx => useOnce(tx, found.id, found.expiresAt)))
  if (!isFirst) throw new DomainError(transportProblems.invalid_token, { detail: REFUSED })
  const { token } = found
  const { valid, userId } = (await checkStreamTokens(db.read, token.provider, [token]))(token)
  if (!valid) throw new DomainError(transportProblems.invalid_token, { detail: REFUSED })
  return { token, userId }
}
