/**
 * What of the past of a fan can be archived: old events of other systems, with the entries of the rules that they earned. The newest event and
 * the newest entry of a fan stay, and so does every event on which something in the database still depends.
 */
import { decisionsOf, type EventRow, takenOf } from '../events/event.ts'
import { nameOf } from '../events/event-rows.ts'
import { APPLICATION } from '../events/types.ts'
import type { ChainedEntry } from '../ledgers/chain.ts'
import { parseState, type Seam } from '../points/seams.ts'
import { grantRef } from '../rules/decision.ts'
import { stateAfter } from './archived-state.ts'
import { followEntries } from './follow-entries.ts'
import { digestOfLines, writeLines } from './lines.ts'

export interface Plan {
  userId: string
  /** The rows are older. The seam can be younger, of a run for a later season. */
  until: Date
  /** Of the file. */
  lines: string
  /** Rows that are deleted from the database. */
  entries: ChainedEntry[]
  events: EventRow[]
  previous: Seam | undefined
  seam: Omit<Seam, 'files' | 'key' | 'sealed'>
}

export interface Past {
  userId: string
  events: EventRow[]
  entries: ChainedEntry[]
  /** `seq` of the newest entry. */
  head: number
  previous: Seam | undefined
}

export interface Needed {
  /** Names of events that count for quests. */
  counted: Set<string>
  /** The position up to which every sink has published. */
  published: number
  until: Date
}

/** Undefined for a fan without anything to archive, or with a broken chain. */
export function planFan({ userId, events, entries, head, previous }: Past, needed: Needed): Plan | undefined {
  const causes = new Map(entries.map(entry => [`${entry.reason} ${entry.ref}`, entry]))
  const archived = events
    .filter(event => isOver(event, needed) && event.sequence !== events.at(-1)?.sequence)
    .flatMap(event => {
      const own = entriesOf(event, causes)
      const isOld = own?.every(({ seq, createdAt }) => seq < head && createdAt < needed.until)
      return own && isOld ? [{ event, own }] : []
    })
  const gone = archived.flatMap(({ own }) => own).toSorted((a, b) => a.seq - b.seq)
  const goneEvents = archived.map(({ event }) => event)
  if (goneEvents.length === 0) return undefined
  const ids = new Set(gone.map(({ id }) => id))
  const seq = Math.max(previous?.seq ?? 0, ...gone.map(entry => entry.seq))
  const sequence = Math.max(previous?.sequence ?? 0, ...goneEvents.map(lastOf))
  const after = followEntries(entries, previous, seq)
  if (after.flaw || after.seq !== seq) return undefined
  const told = entries.filter(
    entry => ids.has(entry.id) || (entry.seq > (previous?.seq ?? 0) && entry.seq <= seq),
  )
  const kept = new Set(told.flatMap(({ id }) => (ids.has(id) ? [] : id)))
  const lines = writeLines({
    previous: previous ? withoutKey(previous) : null,
    entries: told,
    kept,
    events: goneEvents,
  })
  const names = new Set(goneEvents.map(nameOf))
  const seam = {
    userId,
    until: previous && previous.until > needed.until ? previous.until : needed.until,
    seq,
    hash: after.hash,
    balance: after.balance,
    lifetime: after.lifetime,
    sequence,
    keptEntries: entries.filter(entry => entry.seq <= seq && !ids.has(entry.id)).length,
    keptEvents: events.filter(event => (event.sequence ?? 0) <= sequence && !names.has(nameOf(event))).length,
    state: JSON.stringify(stateAfter(parseState(previous?.state), gone, goneEvents)),
    digest: digestOfLines(lines),
  }
  return { userId, until: needed.until, lines, entries: gone, events: goneEvents, previous, seam }
}

const withoutKey = ({ key: _, sealed: _s, ...seam }: Seam) => seam

const lastOf = ({ sequence, entryCount }: EventRow) => (sequence ?? 0) + (entryCount ?? 0)

/** Whether it is an old event of another system on which nothing depends, except its own entries. */
function isOver(event: EventRow, { counted, published, until }: Needed): boolean {
  const { source, type, occurredAt, recordedAt, voidedAt, position } = event
  const isOld = recordedAt < until && (occurredAt ?? until) < until && (voidedAt ?? recordedAt) < until
  const isDistributed = position === null || (position > 0 && position <= published)
  return source !== APPLICATION && type !== null && isOld && isDistributed && !counted.has(nameOf(event))
}

/** The entries that the event has earned, and that a void took back. Undefined if one of them is missing. */
function entriesOf(event: EventRow, causes: Map<string, ChainedEntry>): ChainedEntry[] | undefined {
  const taken = takenOf(event)
  const wanted = decisionsOf(event).flatMap(({ ruleId, outcome }) => {
    const ref = grantRef(ruleId, event)
    const isTaken = (taken.get(ruleId)?.points ?? 0) > 0
    return outcome === 'granted' ? [`rule ${ref}`, ...(isTaken ? [`rule_void ${ref}`] : [])] : []
  })
  const found = wanted.flatMap(name => causes.get(name) ?? [])
  return found.length === wanted.length ? found : undefined
}
