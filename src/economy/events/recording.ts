/**
 * Records and voids events of many fans in one unit of work: what they depend on is read together, rules and
 * readers decide in memory, event after event, and the changes are written together. The result is the same
 * as for one event after another.
 */
import { insertRows } from '../../../db/bulk.ts'
import type { Transaction } from '../../../db/index.ts'
import { type CatalogueVersion, formAt, readVersion } from '../../club/catalogue/versions.ts'
import { rememberMembers } from '../../club/segments/spine.ts'
import type { Merge } from '../../core/caller.ts'
import type { Cause } from '../ledgers/reasons.ts'
import { type Ledgers, openLedgers } from '../points/ledger.ts'
import { causesOf, openRules, type RuleBook, type TakenGrant } from '../rules/apply-rules.ts'
import { writeDecisions } from '../rules/decision.ts'
import { decisionsOf, type EventRow, grantsOf, type NewEvent, parseJson, toRecordedEvent } from './event.ts'
import { draftOf, type EventDraft, type EventKey, insertEvents, nameOf, readEvents } from './event-rows.ts'
import { FOLDED, foldEntries } from './folded.ts'
import { type Listening, listeningAt } from './listeners.ts'
import { tellObservers } from './observers.ts'
import { AWAITING } from './outbox.ts'
import type { EventReader, Reaction, Recorded, Recording, Voided, Writing } from './readers.ts'

/** Sequences begin with 1. */
const NOT_WRITTEN = 0

interface Draft {
  row: EventDraft
  recorded: Recorded
}

/**
 * Locks the accounts of the fans, whose records exist. `causes`, `merges`: see `openLedgers`. Voids need the merges of the fans.
 */
export async function openRecording(
  tx: Transaction,
  userIds: string[],
  causes: Cause[] = [],
  merges: Merge[] = [],
): Promise<Recording> {
  const ledgers = await openLedgers(tx, userIds, causes, merges)
  // After the lock, so that the version is at least as new as the version of every earlier change of the fan.
  const version = await readVersion(tx)
  const listening = await listeningAt(tx, version)
  const members = openMembers(tx)
  const rules = await openRules(tx, version, ledgers, members.isInSegment)
  return createRecording(tx, { ledgers, version, listening, rules, members })
}

interface Parts {
  ledgers: Ledgers
  version: CatalogueVersion | null
  listening: Listening
  rules: RuleBook
  members: ReturnType<typeof openMembers>
}

/** Which fans were judged, and whether they are in segments. */
function openMembers(tx: Transaction) {
  const judged = new Set<string>()
  const isMember = rememberMembers(tx)
  return {
    judged,
    isInSegment(userId: string, segmentId: string) {
      judged.add(userId)
      return isMember(userId, segmentId)
    },
  }
}

function createRecording(tx: Transaction, { ledgers, version, listening, rules, members }: Parts): Recording {
  const { listeners, observations, isSubscribed } = listening
  const known = new Map<string, EventRow>()
  const drafts: Draft[] = []
  /** Events that were already stored: voids, and decisions about them. */
  const changed = new Set<EventRow>()
  /** Names of events for which all data for a void is loaded. */
  const voidable = new Set<string>()
  const waiting: { userId: string; work: () => Promise<void> }[] = []
  const now = tx.now()
  const form = formAt(version, now)
  const recording: Recording = {
    tx,
    ledgers,
    load,
    record,
    react,
    loadVoids,
    reactionOf,
    void: voidEvent,
    write,
    afterwards: (userId, work) => void waiting.push({ userId, work }),
    isInSegment: members.isInSegment,
    isAwaited: userId => members.judged.has(userId) || waiting.some(work => work.userId === userId),
  }
  const reactions = new Map<EventReader, Reaction>()
  for (const [reader, listener] of listeners) reactions.set(reader, listener.open(recording))

  function reactionOf<Own extends Reaction>(reader: EventReader<Own>): Own {
    // Guarantee of the cast: the listener of a reader has opened its reaction.
    return reactions.get(reader) as Own
  }

  const listensTo = (reader: EventReader, type: string) => listeners.get(reader)?.listensTo(type) ?? false

  async function load(events: NewEvent[]) {
    await loadStored(events)
    const fresh = events.filter(event => !known.has(nameOf(event)))
    await rules.load(fresh)
    for (const [reader, reaction] of reactions) {
      const own = fresh.filter(({ type }) => listensTo(reader, type))
      if (own.length > 0) await reaction.load(own)
    }
  }

  async function loadStored(keys: EventKey[]) {
    for (const row of await readEvents(
      tx,
      keys.filter(key => !known.has(nameOf(key))),
    ))
      known.set(nameOf(row), row)
  }

  async function record(event: NewEvent): Promise<Writing> {
    const before = known.get(nameOf(event))
    if (before) return { recorded: null, before }
    const subscribed = isSubscribed(event.type)
    const row = draftOf(event, now, {
      revision: version?.revision ?? null,
      position: subscribed ? AWAITING : null,
      form,
    })
    const draft: Draft = { row, recorded: { event, sequence: 0, hasListeners: subscribed, grants: [] } }
    drafts.push(draft)
    known.set(nameOf(event), Object.assign(row, { sequence: NOT_WRITTEN }))
    voidable.add(nameOf(event))
    if (subscribed) tx.spine.events.awaiting.announce(tx)
    tx.spine.events.recorded.announce(tx, event)
    await decide(event, draft.recorded, decisions => {
      row.decisions = decisions
    })
    return { recorded: draft.recorded }
  }

  async function react(event: NewEvent): Promise<Recorded> {
    await loadStored([event])
    const row = known.get(nameOf(event))
    const reacted = { event, sequence: row?.sequence ?? 0, hasListeners: false, grants: [] }
    await decide(event, reacted, decisions => {
      if (row) changed.add(Object.assign(row, { decisions }))
    })
    return reacted
  }

  async function decide(event: NewEvent, into: Recorded, store: (decisions: string) => void) {
    const decisions = await rules.apply(event)
    if (decisions && decisions.length > 0) store(writeDecisions(decisions, form))
    if (decisions !== null) into.hasListeners = true
    for (const [reader, reaction] of reactions) {
      if (!listensTo(reader, event.type)) continue
      into.hasListeners = true
      await reaction.onEvent(event)
    }
    into.grants = grantsOf(decisions ?? [])
  }

  async function loadVoids(keys: EventKey[]) {
    await loadStored(keys)
    for (const key of keys) voidable.add(nameOf(key))
    const rows = keys.flatMap(key => known.get(nameOf(key)) ?? [])
    const events = rows.flatMap(row => (row.voidedAt ? [] : (toRecordedEvent(row) ?? [])))
    await ledgers.loadCauses(
      rows.flatMap(row => (row.userId ? causesOf({ ...row, userId: row.userId }, decisionsOf(row)) : [])),
    )
    for (const reaction of reactions.values()) if (events.length > 0) await reaction.loadVoids(events)
  }

  async function voidEvent(key: EventKey): Promise<Voided | undefined> {
    if (!voidable.has(nameOf(key))) await loadVoids([key])
    const row = known.get(nameOf(key))
    const event = row && toRecordedEvent(row)
    if (!event) return undefined
    if (row.voidedAt) return { taken: parseJson<TakenGrant[]>(row.taken) ?? [], isRepeat: true }
    const taken = await rules.takeBack(event, decisionsOf(row))
    Object.assign(row, { voidedAt: now, taken: JSON.stringify(taken) })
    if (row.sequence !== NOT_WRITTEN) changed.add(row)
    for (const reaction of reactions.values()) await reaction.onVoid(event)
    return { taken, isRepeat: false }
  }

  async function write() {
    const rows = drafts.map(({ row }) => row)
    const told =
      form === 'short' && !isSubscribed(FOLDED) ? foldEntries(tx, rows, ledgers) : new Set<string>()
    const sequences = await insertEvents(tx, rows)
    for (const [index, { recorded }] of drafts.entries()) recorded.sequence = sequences[index] ?? 0
    await insertRows(tx, tx.tables.events, [...changed], { set: ['decisions', 'voidedAt', 'taken'] })
    await ledgers.write(told)
    await rules.write()
    for (const reaction of reactions.values()) await reaction.write()
    await tellObservers(
      tx,
      observations,
      drafts.map(({ recorded }) => recorded.event),
    )
    for (const { work } of waiting) await work()
  }

  return recording
}
