/** Sinks of processes that serve, and the events that they publish. */

import { createPublisher, type Publisher } from '../../../src/delivery/event-sink/publisher.ts'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { secrets } from '../../support/processes.ts'
import type { World } from '../../support/world.ts'
import { giveWay } from '../webhooks/webhooks-world.ts'

/** As in a process that serves, without its timer. Opens the sink: events are published from then on. */
export function publisherOf(
  { deps }: Pick<World, 'deps'>,
  url: string,
  options?: { timeoutMs: number },
): Publisher {
  const { eventSink } = parseConfig({ ...secrets, EVENT_SINK: url })
  if (!eventSink) throw new Error('the setting names a sink')
  return createPublisher(eventSink, { ...deps, giveWay }, options)
}

export const sinkRow = async ({ db }: Pick<World, 'db'>) =>
  (await db.read.select().from(db.tables.eventSinks))[0]
