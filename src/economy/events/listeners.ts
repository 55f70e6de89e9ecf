/**
 * The listeners of events, cached in memory, so that an event without listeners needs no additional
 * statement.
 */
import { ConflictError, type Transaction } from '../../../db/index.ts'
import { type CatalogueVersion, readVersion } from '../../club/catalogue/versions.ts'
import { getRuleSet, type RuleSet } from '../rules/rule-set.ts'
import type { Observation } from './observers.ts'
import type { EventReader, Listener } from './readers.ts'

export interface Listening {
  listeners: ReadonlyMap<EventReader, Listener>
  observations: readonly Observation[]
  /** Whether a subscriber asks for the type. */
  isSubscribed(type: string): boolean
}

/** A version is a random id, so what was loaded under it stays valid. */
export interface KnownListening extends Listening {
  version: string | null
  /** Undefined until the unit of work that has loaded it is committed: a revision that is rolled back is given again. */
  revision: number | null | undefined
  rules: RuleSet
  foldsFrom: Date | null
}

/**
 * The listeners at a version, read again if another version is in memory. Null: nothing was ever imported.
 */
export async function listeningAt(tx: Transaction, version: CatalogueVersion | null): Promise<Listening> {
  const { events } = tx.spine
  const found = events.listening
  recordedAt.set(tx, version?.version ?? null)
  if (found && found.version === (version?.version ?? null)) return keepRevision(found)
  const rules: RuleSet = version ? await getRuleSet(tx, version) : new Map()
  const listeners = new Map<EventReader, Listener>()
  for (const reader of events.readers) listeners.set(reader, await reader.load(tx))
  const observations: Observation[] = []
  for (const observer of events.observers) observations.push(await observer.load(tx))
  const asking: ((type: string) => boolean)[] = []
  for (const subscriber of events.subscribers) asking.push(await subscriber.load(tx))
  const isSubscribed = (type: string) => asking.some(asksFor => asksFor(type))
  const loaded: KnownListening = {
    version: version?.version ?? null,
    revision: undefined,
    rules,
    listeners,
    observations,
    isSubscribed,
    foldsFrom: version?.foldsFrom ?? null,
  }
  events.listening = loaded
  return keepRevision(loaded)

  function keepRevision(known: KnownListening): KnownListening {
    if (known.revision === undefined)
      tx.afterCommit(() => {
        known.revision = version?.revision ?? null
      })
    return known
  }
}

/**
 * As `listeningAt`, without a statement while the revision is that in memory.
 * @throws ConflictError if another unit of work has changed the catalogue since this one has read the revision
 */
export async function listeningAtRevision(tx: Transaction, revision: number | null): Promise<Listening> {
  const found = tx.spine.events.listening
  if (found && found.revision === revision) {
    recordedAt.set(tx, found.version)
    return found
  }
  const version = revision === null ? null : await readVersion(tx)
  if (version && version.revision !== revision) throw new ConflictError('the catalogue has changed meanwhile')
  return listeningAt(tx, version)
}

/** The version of the catalogue at which a unit of work has recorded its last event; undefined before the first one. */
export const versionRecordedAt = (tx: Transaction): string | null | undefined => recordedAt.get(tx)

const recordedAt = new WeakMap<Transaction, string | null>()

/**
 * Based on what this process loaded last; another process may have changed it since. True before the first
 * load.
 */
export function mayBookPoints({ spine }: Transaction, type: string): boolean {
  const found = spine.events.listening
  return (
    !found || found.rules.has(type) || found.listeners.values().some(listener => listener.listensTo(type))
  )
}

/** Uses the types that this process loaded last. False before the first load. */
export const mayBeSubscribed = ({ spine }: Transaction, type: string): boolean =>
  spine.events.listening?.isSubscribed(type) ?? false
