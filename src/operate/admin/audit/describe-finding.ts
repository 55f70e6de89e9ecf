/** Findings of the verification as text. */
import type { Finding } from './finding.ts'

/** `fan ID, entry 3: points_entries.hash is …, must be …` */
export function describeFinding({ userId, what, seq, board, expected, actual }: Finding): string {
  const where = [
    ...(userId === null ? [] : [`fan ${userId}`]),
    ...(seq === undefined ? [] : [`entry ${seq}`]),
    ...(board === undefined ? [] : [`board ${board}`]),
  ].join(', ')
  return `${where === '' ? '' : `${where}: `}${what} is ${actual ?? 'missing'}, must be ${expected ?? 'absent'}`
}
