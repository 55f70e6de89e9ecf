/**
 * Limits the bodies that have begun to arrive and are not whole: each costs a connection and the memory of what has arrived, also
 * while its caller is not known yet. Beyond a limit the body that has made no progress for longest is dropped, never the new one:
 * what has not arrived holds nothing that others need. A body that comes with its head is whole at once, whatever the load.
 */
import type { Logger } from 'pino'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { BodyBudget } from '../../config/limits.ts'

/** Operations without a caller share this part of a budget, of their own, so that nobody without a token crowds out fans. */
const SHARE_OF_ANYONE = 1 / 4
const SUMMARY_EVERY_MS = 1_000
/** Bytes that count as progress: a client that sends a few now and then makes none. */
const PROGRESS_BYTES = 16_384

/** A body that is not whole. */
interface Place {
  ledger: Ledger
  address: string
  /** That have arrived, or that a body which is read whole announces. */
  bytes: number
  /** Since the last progress. */
  recent: number
  drop(): void
}

type Ledger = ReturnType<typeof createLedger>

/** How a body tells that it arrives, and hears that it is dropped. */
export interface Arrival {
  /** Bytes have arrived. */
  note(bytes: number): void
  /** Called once the body is dropped, also if it was before. */
  onDropped(reject: (error: DomainError) => void): void
}

const NOT_COUNTED: Arrival = { note() {}, onDropped() {} }

export function createUnfinishedBodies(budget: BodyBudget, log: Logger) {
  const ofCallers = createLedger(budget)
  const ofAnyone = createLedger(shareOf(budget))
  const places = new WeakMap<Request, Place & Arrival>()
  let dropped = 0

  /** One line for all bodies that were dropped in a second. */
  function noteDropped() {
    if (dropped++ > 0) return
    setTimeout(() => {
      log.warn({ dropped }, 'unfinished bodies dropped: too many at once')
      dropped = 0
    }, SUMMARY_EVERY_MS).unref()
  }

  return {
    /** Counts the body of a request until `end`. `anyone`: its operation has no caller. `bytes`: that it takes at once. */
    begin(
      request: Request,
      { address, anyone, bytes }: { address: string; anyone: boolean; bytes: number },
    ): void {
      let isDropped = false
      let tell: ((error: DomainError) => void) | undefined
      const ledger = anyone ? ofAnyone : ofCallers
      const place: Place & Arrival = {
        ...{ ledger, address, bytes, recent: 0 },
        drop() {
          isDropped = true
          noteDropped()
          tell?.(tooSlow())
        },
        note: bytes => ledger.note(place, bytes),
        onDropped(reject) {
          tell = reject
          if (isDropped) reject(tooSlow())
        },
      }
      places.set(request, place)
      ledger.add(place)
    },
    arrivalOf: (request: Request): Arrival => places.get(request) ?? NOT_COUNTED,
    /** Idempotent. Ignores requests without a place. */
    end(request: Request): void {
      const place = places.get(request)
      if (!place) return
      places.delete(request)
      place.ledger.remove(place)
    },
  }
}

const tooSlow = () =>
  new DomainError(transportProblems.request_timeout, {
    detail: 'The body arrived more slowly than those of others while many were under way.',
  })

/** The places in the order of their last progress, in all and by address. */
function createLedger({ count, bytes, countPerAddress, bytesPerAddress }: BodyBudget) {
  const all = createOrder(count, bytes)
  const byAddress = new Map<string, ReturnType<typeof createOrder>>()

  function remove(place: Place): void {
    const own = byAddress.get(place.address)
    if (!all.delete(place) || !own) return
    own.delete(place)
    if (own.isEmpty()) byAddress.delete(place.address)
  }

  /** First those of the address that is above its share. */
  function dropSlowest(address: string): void {
    for (;;) {
      const slowest = byAddress.get(address)?.findExcess() ?? all.findExcess()
      if (!slowest) return
      remove(slowest)
      slowest.drop()
    }
  }

  return {
    remove,
    add(place: Place): void {
      all.add(place)
      byAddress
        .getOrInsertComputed(place.address, () => createOrder(countPerAddress, bytesPerAddress))
        .add(place)
      dropSlowest(place.address)
    },
    note(place: Place, arrived: number): void {
      const own = byAddress.get(place.address)
      if (!all.has(place) || !own) return
      place.bytes += arrived
      place.recent += arrived
      for (const order of [all, own]) order.grow(place, arrived)
      if (place.recent >= PROGRESS_BYTES) place.recent = 0
      dropSlowest(place.address)
    },
  }
}

function createOrder(maxCount: number, maxBytes: number) {
  const places = new Set<Place>()
  let bytes = 0
  return {
    has: (place: Place) => places.has(place),
    isEmpty: () => places.size === 0,
    add(place: Place): void {
      places.add(place)
      bytes += place.bytes
    },
    delete(place: Place): boolean {
      const found = places.delete(place)
      if (found) bytes -= place.bytes
      return found
    },
    /** With enough progress it is the last to be dropped. */
    grow(place: Place, arrived: number): void {
      bytes += arrived
      if (place.recent < PROGRESS_BYTES) return
      places.delete(place)
      places.add(place)
    },
    /** The one without progress for longest, if there are too many. */
    findExcess: (): Place | undefined =>
      places.size > maxCount || bytes > maxBytes ? places.values().next().value : undefined,
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
