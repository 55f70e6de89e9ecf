/**
 * The one way in which a caller's POST, PUT or PATCH writes. Under an `Idempotency-Key` the effect and the stored
 * response are one unit of work, so that a repeat gets the first response, even after a crash.
 */

import { hash } from 'node:crypto'
import { type Context, ElysiaCustomStatusResponse, status } from 'elysia'
import type { Database, Transaction } from '../../../../db/index.ts'
import type { Subject } from '../../../core/caller.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { DomainError } from '../../../core/problems.ts'
import { parseStored, stringifyStored } from '../../../core/texts.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import { bodyOf } from '../edge/body.ts'
import {
  findRecord,
  firstMadeAt,
  type KeyRecord,
  type KeyScope,
  releaseKey,
  reserveKey,
  storeResponse,
} from './key-store.ts'
import type { StoredEncryption } from './stored-response.ts'

/** The members of Elysia's context that are used. Handlers pass these only: Elysia builds each member that a handler names. */
type IdempotencyContext = Pick<Context, 'request' | 'route' | 'set'> & { caller: Subject }

export interface IdempotencyDeps {
  db: Database
  runningKeys: Map<string, string>
}

/** How often a unit of work runs again after it asked for what it needs of another system: a second time if that changed meanwhile. */
const MAX_PREPARATIONS = 3

export interface WriteOptions<Prepared> {
  /** Calls other systems before the unit of work, which must not wait for them. Skipped if a response is stored. */
  prepare?: () => Promise<Prepared>
  /** The response contains a secret and is not stored: a repeat runs `write` again, which must be safe to repeat with the same `madeAt`. */
  secret?: true
  /** Encrypts the stored response, which contains what the database keeps encrypted. Adds `idempotency_response_lost`. */
  encryption?: StoredEncryption
}

/**
 * `madeAt`: when the request was first made, also in a repeat.
 * Resolves to what `write` returns: a body, or Elysia's `status`. What `write` throws is rolled back and not stored;
 * a DomainError that it returns is thrown after its unit of work is committed, and not stored either.
 * @throws DomainError `idempotency_key_reused`, `idempotency_in_progress`, `idempotency_response_lost`, and as `prepare` and `write`
 */
export async function runIdempotently<Result, Prepared = undefined>(
  { db, runningKeys }: IdempotencyDeps,
  context: IdempotencyContext,
  write: (tx: Transaction, prepared: Prepared, madeAt: Date) => Promise<Result>,
  { prepare, secret, encryption }: WriteOptions<Prepared> = {},
): Promise<Exclude<Result, DomainError>> {
  async function run<Value>(unit: (tx: Transaction, prepared: Prepared) => Promise<Value>) {
    // Guarantee of the cast: `Prepared` is undefined without a `prepare`.
    const prepared = (await prepare?.()) as Prepared
    for (let left = MAX_PREPARATIONS; ; left--)
      try {
        return await db.write(tx => unit(tx, prepared))
      } catch (error) {
        const ask = error instanceof DomainError ? error.explanation.prepare : undefined
        if (!ask || left === 0) throw error
        await ask()
      }
  }
  // GET and DELETE are idempotent by themselves and take no key.
  const takesKey = ['POST', 'PUT', 'PATCH'].includes(context.request.method)
  const key = takesKey ? readIdempotencyKey(context.request.headers) : null
  if (key === null) return throwProblem(await run((tx, prepared) => write(tx, prepared, tx.now())))

  const scope = scopeOf(context, key)
  const fingerprint = fingerprintOf(context)
  async function replay(stored: KeyRecord): Promise<Exclude<Result, DomainError>> {
    requireSame(stored.fingerprint, fingerprint)
    const text = stored.response && (encryption?.decrypt(scope, stored.response) ?? stored.response)
    const again = (tx: Transaction, prepared: Prepared) => write(tx, prepared, firstMadeAt(stored))
    const body = text === null ? bodyIn(throwProblem(await run(again))) : parseStored(text)
    context.set.headers['idempotent-replayed'] = 'true'
    // Guarantee of the cast: it is what `write` returned for the same request, or returns again.
    return status(stored.status ?? 200, body ?? undefined) as Exclude<Result, DomainError>
  }

  // A stored response may be visible before it is durable. A unit of work reads it again, and ends when it is durable.
  const stored = (await findRecord(db.read, scope)) && (await db.write(tx => findRecord(tx, scope)))
  if (stored) return replay(stored)
  const id = JSON.stringify(scope)
  const running = runningKeys.get(id)
  if (running !== undefined) {
    requireSame(running, fingerprint)
    throw inProgress()
  }
  runningKeys.set(id, fingerprint)
  try {
    const outcome = await run(async (tx, prepared) => {
      if (!(await reserveKey(tx, scope, fingerprint)))
        return { taken: false as const, earlier: await findRecord(tx, scope) }
      const response = await write(tx, prepared, tx.now())
      if (response instanceof DomainError) await releaseKey(tx, scope)
      else await storeResponse(tx, scope, toStore(response))
      return { taken: true as const, response }

      function toStore(response: Result) {
        const status = response instanceof ElysiaCustomStatusResponse ? Number(response.code) : 200
        if (secret) return { status, response: null }
        // `null` is a response without a body.
        const text = stringifyStored(bodyIn(response) ?? null)
        return { status, response: encryption?.encrypt(tx, scope, text) ?? text }
      }
    })
    if (outcome.taken) return throwProblem(outcome.response)
    if (!outcome.earlier) throw inProgress()
    return await replay(outcome.earlier)
  } finally {
    runningKeys.delete(id)
  }
}

const bodyIn = (response: unknown): unknown =>
  response instanceof ElysiaCustomStatusResponse ? response.response : response

/**
 * The `Idempotency-Key`; null if the header is absent. Bun joins two headers with a comma and a space, so a key that
 * contains both is refused: it may be two keys.
 * @throws DomainError `malformed_request` unless it is one key of 1 to 255 printable ASCII characters
 */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null) return null
  if (key.includes(', ')) refuseKey('must not be repeated or contain a comma followed by a space')
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) refuseKey('must be 1 to 255 printable ASCII characters')
  return key
}

function refuseKey(message: string): never {
  throw new DomainError(transportProblems.malformed_request, {
    errors: [{ header: 'Idempotency-Key', message }],
  })
}

function scopeOf({ caller, request, route }: IdempotencyContext, key: string): KeyScope {
  const { provider, subject } = caller
  return { provider, subject, route: `${request.method} ${route}`, key }
}

/** A hash of the path, with its parameters, and of the body. The order of members does not change it. */
function fingerprintOf({ request }: IdempotencyContext): string {
  const { pathname } = new URL(request.url)
  return hash('sha256', canonicalJson([pathname, bodyOf(request)]), 'hex')
}

function requireSame(earlier: string, fingerprint: string): void {
  if (earlier !== fingerprint) throw new DomainError(transportProblems.idempotency_key_reused)
}

const inProgress = () => new DomainError(transportProblems.idempotency_in_progress, { retryAfter: 1 })

/** Returns any other outcome than a problem. */
export function throwProblem<Result>(outcome: Result): Exclude<Result, DomainError> {
  if (outcome instanceof DomainError) throw outcome
  // Guarantee of the cast: the line above.
  return outcome as Exclude<Result, DomainError>
}
