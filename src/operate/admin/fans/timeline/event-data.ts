import { parseJson } from '../../../../economy/events/event.ts'

/** Data of an event of the application; empty after it was deleted. */
export type Data = Record<string, unknown>

export const dataOf = ({ data }: { data: string | null }): Data => parseJson<Data>(data) ?? {}
