/** Events as another system reports them. */
import type { World } from '../../support/world.ts'

export const TYPE = 'stadium.entered'
let made = 0

/** An event of a new fan, by default. */
export function eventOf(world: Pick<World, 'config' | 'clock'>, fields: Record<string, unknown> = {}) {
  made++
  return {
    id: `scan-${made}`,
    type: TYPE,
    fan: { provider: world.config.identity.name, subject: `event-fan-${made}` },
    occurredAt: new Date(world.clock.ms).toISOString(),
    ...fields,
  }
}
