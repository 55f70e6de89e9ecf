/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { eventProblems } from './problems.ts'

export const thrownBy = {
  voidEvent: [eventProblems.event_archived, eventProblems.event_not_found],
} as const
