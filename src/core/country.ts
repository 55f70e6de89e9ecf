import { iso31661 } from 'iso-3166'

const COUNTRIES = new Set(iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2))

/** Whether `code` is an assigned ISO 3166-1 alpha-2 code in upper case. */
export const isCountry = (code: string): boolean => COUNTRIES.has(code)
