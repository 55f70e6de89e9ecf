import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { thrownBy } from './problems.generated.ts'
import { type RecordDeps, recordEvents } from './record-events.ts'
import { EventResults, Events, exampleEvent, VoidEvent, VoidedEvent } from './schema.ts'
import { voidEvent } from './void-event.ts'

export const eventsRoutes = (deps: ServerDeps & RecordDeps) =>
  servers(deps, { prefix: '/api/events', tag: 'Server', scope: 'events:write' })
    .post(
      '',
      ({ body, source, write }) => recordEvents(write, deps, source, body),
      operation({
        id: 'recordEvents',
        summary: 'Report events of fans',
        description:
          'Records up to 100 events, in one request of at most 1 MiB. Each event is recorded or refused separately. After any ' +
          'failure, send the batch again: events that were already recorded are then `duplicate`, and are not recorded twice.',
        body: Events,
        open: true,
        maxBodyBytes: 1_048_576,
        responses: { 200: EventResults },
        examples: {
          body: { events: [exampleEvent] },
          200: {
            results: [
              { id: exampleEvent.id, outcome: 'applied', grants: [{ ruleId: 'home-match', points: 50 }] },
            ],
          },
        },
      }),
    )
    .post(
      '/void',
      async ({ body: { id, note }, source, write }) => {
        const taken = await write(tx => voidEvent(tx, { source, eventId: id, note }))
        return { id, taken }
      },
      operation({
        id: 'voidEvent',
        summary: 'Void an event',
        description:
          'Takes back the points that your event earned, up to the balance of the fan; the rest is returned as `uncollected`. ' +
          'A repeat changes nothing and returns the same response.',
        body: VoidEvent,
        responses: { 200: VoidedEvent },
        problems: thrownBy.voidEvent,
        examples: {
          body: { id: exampleEvent.id, note: 'The ticket was refunded.' },
          200: { id: exampleEvent.id, taken: [{ ruleId: 'home-match', points: 50, uncollected: 0 }] },
        },
      }),
    )
