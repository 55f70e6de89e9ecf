/** Age bands of fans, never a birth date: what a law or a sponsor asks is whether a fan is old enough. */
import { Nullable, OneOf } from './schemas.ts'

/** From the youngest. */
const AGE_BANDS = ['under_13', '13_15', '16_17', 'adult'] as const
export type AgeBand = (typeof AGE_BANDS)[number]

export const isAgeBand = (value: unknown): value is AgeBand => AGE_BANDS.some(band => band === value)

export const AgeBandOrUnknown = Nullable(OneOf(AGE_BANDS), { description: 'Null: unknown.' })

const LOWEST: Record<AgeBand, number> = { under_13: 0, '13_15': 13, '16_17': 16, adult: 18 }

/** An unknown age is not old enough. */
export const isOldEnough = (band: string | null, minAge: number): boolean =>
  isAgeBand(band) && LOWEST[band] >= minAge
