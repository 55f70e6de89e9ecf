/** Why a server cannot be reached, for the operator's log: Bun's client reports a missing host name as a refused connection. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { withDeadline } from '../deadline.ts'
import { DatabaseError, translateDatabaseError } from '../errors.ts'

const LOOKUP_MS = 2_000

/** As `translateDatabaseError`, with the reason of an unreachable server. @param url of the database */
export async function explainUnreachable(thrown: unknown, url: string): Promise<unknown> {
  const error = translateDatabaseError(thrown)
  if (!(error instanceof DatabaseError) || error.fault !== 'unreachable') return error
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (host === '' || isIP(host) !== 0) return error
  const fails = await withDeadline(lookup(host), LOOKUP_MS, () => new Error('no response in time')).then(
    () => false,
    () => true,
  )
  return fails ? new DatabaseError('unreachable', error, `the host name ${host} does not resolve`) : error
}
