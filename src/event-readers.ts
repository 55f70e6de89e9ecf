/** The rooms that react to events and that send them. Every process that records events imports this file: the API, commands and tests. */
import { sinkSubscriber } from './event-sink/subscriber.ts'
import { setEventReaders } from './events/readers.ts'
import { setEventSubscribers } from './events/subscribers.ts'
import { questReader } from './quests/event-reader.ts'
import { webhookSubscriber } from './webhooks/record-deliveries.ts'

setEventReaders([questReader])
setEventSubscribers([webhookSubscriber, sinkSubscriber])
