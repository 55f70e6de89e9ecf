/** What listens to events, in memory: an event without listeners costs no further statement. */
import type { Transaction } from '../../db/index.ts'
import type { CatalogueVersion } from '../catalogue/versions.ts'
import { getRuleSet, type RuleSet } from '../rules/rule-set.ts'
import { eventReaders, type Listener } from './readers.ts'
import { eventSubscribers } from './subscribers.ts'

export interface Listening {
  listeners: Listener[]
  /** Whether a subscriber asks for the type. */
  isSubscribed(type: string): boolean
}

interface Known extends Listening {
  version: string | null
  rules: RuleSet
}

/** By database. A version is a random id, so what was loaded under it stays valid. */
const known = new WeakMap<object, Known>()

/** What listens at a version, read again if it is another one than in memory. Null: nothing was ever imported. */
export async function listeningAt(tx: Transaction, version: CatalogueVersion | null): Promise<Listening> {
  const found = known.get(tx.identity)
  if (found && found.version === (version?.version ?? null)) return found
  const rules: RuleSet = version ? await getRuleSet(tx, version) : new Map()
  const listeners: Listener[] = []
  for (const reader of eventReaders()) listeners.push(await reader.load(tx))
  const asking: ((type: string) => boolean)[] = []
  for (const subscriber of eventSubscribers()) asking.push(await subscriber.load(tx))
  const isSubscribed = (type: string) => asking.some(asksFor => asksFor(type))
  const read = { version: version?.version ?? null, rules, listeners, isSubscribed }
  known.set(tx.identity, read)
  return read
}

/** By what this process loaded last, since when another process may have changed it. True before the first load. */
export function mayBookPoints({ identity }: Transaction, type: string): boolean {
  const found = known.get(identity)
  return !found || found.rules.has(type) || found.listeners.some(listener => listener.listensTo(type))
}

/** By what this process loaded last. False before the first load. */
export const mayBeSubscribed = ({ identity }: Transaction, type: string): boolean =>
  known.get(identity)?.isSubscribed(type) ?? false
