/**
 * The one way in which a caller's POST, PUT or PATCH writes. Under an `Idempotency-Key` the effect and the record of
 * its answer are one unit of work, so that whoever asks again, even after a crash, hears the first answer.
 */
import { hash } from 'node:crypto'
import { type Context, ElysiaCustomStatusResponse, status } from 'elysia'
import type { Database, Transaction } from '../../../db/index.ts'
import type { Caller } from '../../core/caller.ts'
import { DomainError } from '../../core/problems.ts'
import {
  findRecord,
  type KeyRecord,
  type KeyScope,
  releaseKey,
  reserveKey,
  storeResponse,
} from './key-store.ts'

/** Of what a handler of Elysia is given, which hands over these alone: of the whole it would be given all there could be. */
type IdempotencyContext = Pick<Context, 'request' | 'route' | 'set'> & { caller: Caller; body: unknown }

export interface IdempotencyDeps {
  db: Database
  runningKeys: Map<string, string>
}

export interface Surroundings<Prepared> {
  /** Asks other machines, before the unit of work, which must not wait for them. Not done when an answer is kept. */
  prepare?: () => Promise<Prepared>
  /** The answer carries a secret and is not kept: a repeat does the work again, which must be safe by its own rules. */
  secret?: true
}

/**
 * Answers what `write` answers: a body, or Elysia's `status`. What `write` throws is rolled back and not kept;
 * a DomainError that it returns is thrown once its unit of work is committed, and not kept either.
 * @throws DomainError `idempotency_key_reused`, `idempotency_in_progress`, and as `prepare` and `write`
 */
export async function runIdempotently<Answer, Prepared = undefined>(
  { db, runningKeys }: IdempotencyDeps,
  context: IdempotencyContext,
  write: (tx: Transaction, prepared: Prepared) => Promise<Answer>,
  { prepare, secret }: Surroundings<Prepared> = {},
): Promise<Exclude<Answer, DomainError>> {
  async function run<Outcome>(unit: (tx: Transaction, prepared: Prepared) => Promise<Outcome>) {
    // Guarantee of the cast: `Prepared` is undefined where there is no `prepare`.
    const prepared = (await prepare?.()) as Prepared
    return db.write(tx => unit(tx, prepared))
  }
  const key = readIdempotencyKey(context.request.headers)
  if (key === null) return deliver(await run(write))

  const scope = scopeOf(context, key)
  const fingerprint = fingerprintOf(context)
  async function replay(kept: KeyRecord): Promise<Exclude<Answer, DomainError>> {
    requireSame(kept.fingerprint, fingerprint)
    const answer =
      kept.answer === null
        ? deliver(await run(write))
        : // Guarantee of the cast: it is what `write` answered to the same request.
          (status(kept.status ?? 200, JSON.parse(kept.answer)) as Exclude<Answer, DomainError>)
    context.set.headers['idempotent-replayed'] = 'true'
    return answer
  }

  // An answer may be visible before it is durable. It is read again by a unit of work, which ends when all before it is.
  const kept = (await findRecord(db.read, scope)) && (await db.write(tx => findRecord(tx, scope)))
  if (kept) return replay(kept)
  const id = JSON.stringify(scope)
  refuseRunning(runningKeys.get(id), fingerprint)
  runningKeys.set(id, fingerprint)
  try {
    const outcome = await run(async (tx, prepared) => {
      if (!(await reserveKey(tx, scope, fingerprint)))
        return { taken: false as const, earlier: await findRecord(tx, scope) }
      const answer = await write(tx, prepared)
      if (answer instanceof DomainError) await releaseKey(tx, scope)
      else await storeResponse(tx, scope, toStore(answer, secret))
      return { taken: true as const, answer }
    })
    if (outcome.taken) return deliver(outcome.answer)
    if (!outcome.earlier) throw inProgress()
    return await replay(outcome.earlier)
  } finally {
    runningKeys.delete(id)
  }
}

/**
 * Null without one. Bun joins two headers of one name with a comma and a space, so a key that contains both is refused:
 * it may be two keys.
 * @throws DomainError `malformed_request` unless it is one key of 1 to 255 printable ASCII characters
 */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get('idempotency-key')
  if (key === null) return null
  if (key.includes(', ')) refuseKey('must be given once, without a comma followed by a space')
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) refuseKey('must be 1 to 255 printable ASCII characters')
  return key
}

function refuseKey(message: string): never {
  throw new DomainError('malformed_request', { errors: [{ header: 'Idempotency-Key', message }] })
}

function scopeOf({ caller, request, route }: IdempotencyContext, key: string): KeyScope {
  const { provider, subject } = caller
  return { provider, subject, route: `${request.method} ${route}`, key }
}

/** Of the path with its parameters and of the body, in whatever order a client writes its members. */
function fingerprintOf({ request, body }: IdempotencyContext): string {
  const { pathname } = new URL(request.url)
  const canonical = JSON.stringify([pathname, body], (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
  return hash('sha256', canonical, 'hex')
}

function requireSame(earlier: string, fingerprint: string): void {
  if (earlier !== fingerprint) throw new DomainError('idempotency_key_reused')
}

function refuseRunning(running: string | undefined, fingerprint: string): void {
  if (running === undefined) return
  requireSame(running, fingerprint)
  throw inProgress()
}

const inProgress = () => new DomainError('idempotency_in_progress', { retryAfter: 1 })

function toStore(answer: unknown, secret: true | undefined) {
  const custom = answer instanceof ElysiaCustomStatusResponse
  return {
    status: custom ? Number(answer.code) : 200,
    answer: secret ? null : JSON.stringify(custom ? answer.response : answer),
  }
}

function deliver<Answer>(outcome: Answer): Exclude<Answer, DomainError> {
  if (outcome instanceof DomainError) throw outcome
  // Guarantee of the cast: the line above.
  return outcome as Exclude<Answer, DomainError>
}
