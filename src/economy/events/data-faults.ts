/** Checks of an event's data that its schema cannot express. */
import { MAX_DATA_BYTES } from './schema.ts'

interface DataFault {
  /** A JSON pointer into the data; empty for the data as a whole. */
  pointer: string
  message: string
}

/** Numbers beyond the range of JSON's readers, such as 1e400, and data that is too large. At most one fault. */
export function findDataFault(data: object): DataFault | undefined {
  const pointer = findUnreadable(data)
  if (pointer !== undefined) return { pointer, message: 'must be a number of at most 1.79e308' }
  return Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES
    ? { pointer: '', message: `must be at most ${MAX_DATA_BYTES} bytes as JSON` }
    : undefined
}

/** The pointer to the first number that is not finite. It is built only if there is one. */
function findUnreadable(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : ''
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const rest = findUnreadable(member)
    if (rest !== undefined) return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}${rest}`
  }
  return undefined
}
