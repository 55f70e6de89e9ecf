/** The message of an event, as webhooks, the event sink and the stream send it. */
import type { MatchEvent, RecordedEvent } from './event.ts'
import { APPLICATION } from './types.ts'

/** Receivers commonly refuse bodies that are much larger. */
const MAX_BODY_BYTES = 20_480

/**
 * Data of the application is written next to the envelope, data of other systems below `data`: its names are theirs, and
 * must not replace a member of the envelope. Data that is too large is left out, and `truncated` is true.
 */
export function bodyOf(event: Omit<RecordedEvent, 'recordedAt'> | MatchEvent): string {
  const { type, occurredAt, sequence, source, eventId, data } = event
  const subject = 'matchId' in event ? { matchId: event.matchId } : { userId: event.userId }
  const write = (content: object) =>
    JSON.stringify({
      type,
      timestamp: occurredAt,
      data: { ...subject, sequence, source, eventId, ...content },
    })
  const body = write(source === APPLICATION ? data : { data })
  return Buffer.byteLength(body) <= MAX_BODY_BYTES ? body : write({ truncated: true })
}
