import { parseJson } from '../../../../economy/events/event.ts'

/** Of an event of the application; empty once it was deleted. */
export type Data = Record<string, unknown>

export const dataOf = ({ data }: { data: string | null }): Data => parseJson<Data>(data) ?? {}
