/** The message of an event, as the sink publishes it. */
import { laneOf, type SentEvent } from '../../economy/events/event.ts'
import { bodyOf } from '../../economy/events/message.ts'
import { messageId } from '../webhooks/deliveries.ts'

export interface Message {
  subject: string
  /** The same whenever the event is published, and the `webhook-id` of its deliveries. */
  id: string
  /** The body of its webhook deliveries. */
  body: string
}

const PREFIX = 'matchday.events'

export const ALL_SUBJECTS = `${PREFIX}.>`

/**
 * `matchday.events.FAN.TYPE`; for an event of a match, `match:ID` replaces the fan. The type is last because
 * it has any number of tokens: `*` stands for the fan, and `>` for the rest of a type. Ids and types contain
 * no characters that NATS reserves.
 */
export const messageOf = (event: SentEvent): Message => {
  const lane = laneOf(event)
  const id = messageId({ lane, sequence: event.sequence })
  return { subject: `${PREFIX}.${lane}.${event.type}`, id, body: bodyOf(event) }
}
