/** Sentences that say what a chart of the season means. */
import type { Data } from '../../api.ts'
import { formatCount } from '../../parts/format.ts'

export type Season = Data<'readSeason'>

/** 63 %, or a dash where there is nothing to compare with. */
export const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`

export const fansOf = (count: number) => `${formatCount(count)} ${count === 1 ? 'fan' : 'fans'}`

export const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
