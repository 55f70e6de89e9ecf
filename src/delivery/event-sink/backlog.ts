/** How far the sink is behind. */
import type { Database, Reader } from '../../../db/index.ts'
import { readEventsFrom, readNewestPosition } from '../../economy/events/positions.ts'
import type { EventSinkConfig } from '../../platform/config/event-sink.ts'
import { findSink } from './sink.ts'

export interface SinkBacklog {
  /** Distributed events that are not published. */
  events: number
  /** Time of the oldest one. */
  since: Date
}

/** Null if everything is published, and before the first start with a sink. */
export async function readSinkBacklog(reader: Reader): Promise<SinkBacklog | null> {
  const sink = await findSink(reader)
  const [oldest] = sink ? await readEventsFrom(reader, sink.position, 1) : []
  if (!sink || !oldest) return null
  // Positions have no gaps.
  return { events: (await readNewestPosition(reader)) - sink.position, since: oldest.recordedAt }
}

/** Longer than the delay that a restart or a takeover causes. */
const LATE_MS = 60_000

interface NoticeDeps {
  db: Database
  config: { eventSink: EventSinkConfig | null }
}

/** For `/readyz`: the sink is late. */
export async function readSinkNotices({ db, config }: NoticeDeps): Promise<{ eventSink?: string }> {
  const backlog = config.eventSink && (await readSinkBacklog(db.read))
  if (!backlog || db.read.now().getTime() - backlog.since.getTime() < LATE_MS) return {}
  return { eventSink: `behind by ${backlog.events} events, since ${backlog.since.toISOString()}` }
}
