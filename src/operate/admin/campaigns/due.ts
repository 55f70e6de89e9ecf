/** When a campaign is due for a fan: at an instant, or at a local time of the fan. */
import { parseInstant } from '../../../core/instant.ts'

/** `due`: an instant, or a local time of each zone. One that clocks skip is as much later; of one that they repeat it is the first. */
export function dueIn(due: string, timeZone: string): Date {
  const instant = parseInstant(due)
  if (instant) return instant
  const local = Temporal.PlainDateTime.from(due).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
  return new Date(local.epochMilliseconds)
}
