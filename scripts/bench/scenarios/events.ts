import type { Engine } from '../databases.ts'
import { prepareEvents, SERVER_KEY } from '../event-rules.ts'
import { runEvents } from '../load/bun-generators.ts'
import type { Generator } from '../load/generator.ts'
import type { Plan } from '../plan.ts'
import type { Bench, Scenario } from '../scenario.ts'
import type { Subject } from '../subjects.ts'
import { onEngines } from './on-engines.ts'

/** With 20 rules each: 1,000 rules. */
const MANY_TYPES = 50

export const eventPlan: Plan = { tokens: [SERVER_KEY], requests: [{ method: 'POST', path: '/api/events' }] }

interface EventLoad {
  /** Events of a request. */
  batch: number
  /** The number of types that the server at an origin has rules for. Default: one. */
  typesAt?(origin: string): number
}

/** Sends batches of events, each of another fan. */
export const eventGenerator = (
  { options, folder }: Bench,
  { batch, typesAt = () => 1 }: EventLoad,
): Generator => ({
  name: 'event-process',
  measure(origin, plan, { seconds, connections, first = 0, core }) {
    const { fans } = options
    return runEvents(
      { origin, plan, batch, types: typesAt(origin), fans, connections, seconds, first },
      folder,
      core,
    )
  },
})

export const events: Scenario = {
  name: 'events',
  summary:
    'POST /api/events, batches of 100 that earn points, durable before the response; one rule and 1,000',
  run: bench => {
    /** Types of events by the origin of the server that has rules for them. */
    const types = new Map<string, number>()
    const counted = (subject: Subject, count: number): Subject => ({
      ...subject,
      async start(fans) {
        const running = await subject.start(fans)
        types.set(running.origin, count)
        return running
      },
    })
    const generator = eventGenerator(bench, { batch: 100, typesAt: origin => types.get(origin) ?? 1 })
    const measured: Bench = { ...bench, generator }
    return onEngines(measured, async (engine: Engine) => {
      const { prepared, rawEvents } = bench.subjects.on(engine)
      const matchday = (types: number) => prepared(url => prepareEvents(url, { types }))
      return {
        contenders: [
          { subject: matchday(1), plan: eventPlan },
          { subject: counted(matchday(MANY_TYPES), MANY_TYPES), label: '1,000 rules', plan: eventPlan },
          { subject: rawEvents, plan: eventPlan },
        ],
        notes: [
          'a request is a batch of 100 events, each of another fan, and each earns a point by one rule',
        ],
      }
    })
  },
}
