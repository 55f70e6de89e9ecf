/**
 * Limits the bodies that have begun to arrive and are not whole: each costs a connection and the memory that it announces,
 * also while its caller is not known yet. A client that sends slowly takes no place from writes that wait for the database.
 */
import type { Logger } from 'pino'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { BodyBudget } from '../../config/limits.ts'

/** Operations without a caller share this part of a budget, of their own, so that nobody without a token crowds out fans. */
const SHARE_OF_ANYONE = 1 / 4
const SUMMARY_EVERY_MS = 1_000

interface Use {
  count: number
  bytes: number
}

interface Place {
  ledger: Ledger
  address: string
  bytes: number
}

type Ledger = ReturnType<typeof createLedger>

export function createUnfinishedBodies(budget: BodyBudget, log: Logger) {
  const ofCallers = createLedger(budget)
  const ofAnyone = createLedger(shareOf(budget))
  const places = new WeakMap<Request, Place>()
  let refused = 0

  /** One line for all refusals of a second. */
  function noteRefusal() {
    if (refused++ > 0) return
    setTimeout(() => {
      log.warn({ refused }, 'requests refused: too many unfinished bodies')
      refused = 0
    }, SUMMARY_EVERY_MS).unref()
  }

  return {
    /**
     * Takes a place for the body of a request, until `end`. `anyone`: its operation has no caller.
     * @throws DomainError `rate_limited` for the address, `overloaded` for all
     */
    begin(
      request: Request,
      { address, anyone, bytes }: { address: string; anyone: boolean; bytes: number },
    ): void {
      const ledger = anyone ? ofAnyone : ofCallers
      const refusal = ledger.take(address, bytes)
      if (refusal === null) {
        places.set(request, { ledger, address, bytes })
        return
      }
      noteRefusal()
      throw new DomainError(transportProblems[refusal], { detail: DETAILS[refusal], retryAfter: 1 })
    },
    /** Idempotent. Ignores requests without a place. */
    end(request: Request): void {
      const place = places.get(request)
      if (!place) return
      places.delete(request)
      place.ledger.giveBack(place.address, place.bytes)
    },
  }
}

const DETAILS = {
  rate_limited: 'Too many bodies of requests from this address have not arrived yet.',
  overloaded: 'Too many bodies of requests have not arrived yet.',
}

function createLedger({ count, bytes, countPerAddress, bytesPerAddress }: BodyBudget) {
  const inAll: Use = { count: 0, bytes: 0 }
  const byAddress = new Map<string, Use>()
  return {
    take(address: string, size: number): keyof typeof DETAILS | null {
      const own = byAddress.get(address) ?? { count: 0, bytes: 0 }
      if (own.count + 1 > countPerAddress || own.bytes + size > bytesPerAddress) return 'rate_limited'
      if (inAll.count + 1 > count || inAll.bytes + size > bytes) return 'overloaded'
      byAddress.set(address, own)
      for (const use of [own, inAll]) {
        use.count++
        use.bytes += size
      }
      return null
    },
    giveBack(address: string, size: number): void {
      const own = byAddress.get(address)
      if (!own) return
      for (const use of [own, inAll]) {
        use.count--
        use.bytes -= size
      }
      if (own.count === 0) byAddress.delete(address)
    },
  }
}

function shareOf(budget: BodyBudget): BodyBudget {
  const shareOf = (limit: number) => Math.ceil(limit * SHARE_OF_ANYONE)
  return {
    count: shareOf(budget.count),
    bytes: shareOf(budget.bytes),
    countPerAddress: shareOf(budget.countPerAddress),
    bytesPerAddress: shareOf(budget.bytesPerAddress),
  }
}
