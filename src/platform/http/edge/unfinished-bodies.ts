/**
 * Limits the bodies that have begun to arrive and are not complete: each needs a connection and memory, even
 * before its caller is known. Beyond a limit, a stalled body is dropped, never a new one, so that slow
 * senders cannot block others.
 */
import type { Logger } from 'pino'
import { DomainError } from '../../../core/problems.ts'
import { transportProblems } from '../../../core/transport-problems.ts'
import type { BodyBudget } from '../../config/limits.ts'

/**
 * Operations without a caller have a separate budget of this size, so that requests without a token cannot
 * crowd out fans.
 */
const SHARE_OF_ANYONE = 1 / 4
const SUMMARY_EVERY_MS = 1_000
/** Bytes that count as progress: a client that sends a few now and then makes none. */
const PROGRESS_BYTES = 16_384
/**
 * A body has stalled after this time without progress: a small one must arrive within this time, a large one
 * needs this minimum rate.
 */
export const STALLED_MS = 1_000

/** A body that is not whole. */
interface Place {
  ledger: Ledger
  address: string
  caller: string
  /** Time of its start or last progress. Milliseconds. */
  since: number
  /** That have arrived, or that a body which is read whole announces. */
  bytes: number
  /** Since the last progress. */
  recent: number
  drop(): void
}

type Ledger = ReturnType<typeof createLedger>

/** Reports the progress of a body, and informs it when it is dropped. */
export interface Arrival {
  /** Bytes have arrived. */
  note(bytes: number): void
  /** Called once the body is dropped, also if it was before. */
  onDropped(reject: (error: DomainError) => void): void
}

const NOT_COUNTED: Arrival = { note() {}, onDropped() {} }

interface Begun {
  address: string
  /**
   * The unverified caller from the headers; empty without one. Within an address, the caller with the most
   * bodies loses bodies first.
   */
  caller: string
  /** Its operation has no caller. */
  anyone: boolean
  /** That it takes at once. */
  bytes: number
}

/** `elapsed`: milliseconds of a clock that never goes back. */
export function createUnfinishedBodies(budget: BodyBudget, log: Logger, elapsed: () => number) {
  const ofCallers = createLedger(budget, elapsed)
  const ofAnyone = createLedger(shareOf(budget), elapsed)
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
    /** Counts the body of a request until `end`. */
    begin(request: Request, { address, caller, anyone, bytes }: Begun): void {
      let isDropped = false
      let tell: ((error: DomainError) => void) | undefined
      const ledger = anyone ? ofAnyone : ofCallers
      const place: Place & Arrival = {
        ledger,
        address,
        caller,
        bytes,
        recent: 0,
        since: elapsed(),
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
function createLedger({ count, bytes, countPerAddress, bytesPerAddress }: BodyBudget, elapsed: () => number) {
  const all = createOrder(count, bytes)
  const byAddress = new Map<string, ReturnType<typeof createOrder>>()

  function remove(place: Place): void {
    const own = byAddress.get(place.address)
    if (!all.delete(place) || !own) return
    own.delete(place)
    if (own.isEmpty()) byAddress.delete(place.address)
  }

  /**
   * An address can exceed its share with bodies that have not stalled, as long as the total limit is not
   * reached.
   */
  function findExcess(address: string): Place | undefined {
    const stalledSince = elapsed() - STALLED_MS
    const own = byAddress.get(address)
    const stalled = own?.isExceeded() ? own.findStalled(stalledSince) : undefined
    if (stalled || !all.isExceeded()) return stalled
    const oldest = all.oldest()
    if (oldest && oldest.since <= stalledSince) return oldest
    let largest = own
    for (const order of byAddress.values()) if (!largest || order.used() > largest.used()) largest = order
    return largest?.oldest()
  }

  function dropExcess(address: string): void {
    for (let place = findExcess(address); place; place = findExcess(address)) {
      remove(place)
      place.drop()
    }
  }

  return {
    remove,
    add(place: Place): void {
      all.add(place)
      byAddress
        .getOrInsertComputed(place.address, () => createOrder(countPerAddress, bytesPerAddress))
        .add(place)
      dropExcess(place.address)
    },
    note(place: Place, arrived: number): void {
      const own = byAddress.get(place.address)
      if (!all.has(place) || !own) return
      place.bytes += arrived
      place.recent += arrived
      const isProgress = place.recent >= PROGRESS_BYTES
      if (isProgress) Object.assign(place, { recent: 0, since: elapsed() })
      for (const order of [all, own]) order.grow(place, arrived, isProgress)
      dropExcess(place.address)
    },
  }
}

function createOrder(maxCount: number, maxBytes: number) {
  const places = new Set<Place>()
  const byCaller = new Map<string, number>()
  let bytes = 0
  const heldBy = ({ caller }: Place) => byCaller.get(caller) ?? 0
  /** The part of the share that is used. */
  const used = () => Math.max(places.size / maxCount, bytes / maxBytes)
  return {
    used,
    isExceeded: () => used() > 1,
    isEmpty: () => places.size === 0,
    has: (place: Place) => places.has(place),
    add(place: Place): void {
      places.add(place)
      bytes += place.bytes
      byCaller.set(place.caller, heldBy(place) + 1)
    },
    delete(place: Place): boolean {
      if (!places.delete(place)) return false
      bytes -= place.bytes
      if (heldBy(place) === 1) byCaller.delete(place.caller)
      else byCaller.set(place.caller, heldBy(place) - 1)
      return true
    },
    /** With progress it is the last to be dropped. */
    grow(place: Place, arrived: number, isProgress: boolean): void {
      bytes += arrived
      if (!isProgress) return
      places.delete(place)
      places.add(place)
    },
    /** The one without progress for longest. */
    oldest: (): Place | undefined => places.values().next().value,
    /** The oldest body of the caller with the most bodies, if it has made no progress since then. */
    findStalled(since: number): Place | undefined {
      let found: Place | undefined
      for (const place of places) {
        if (place.since > since) break
        if (!found || heldBy(place) > heldBy(found)) found = place
      }
      return found
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
