import { iso31661 } from 'iso-3166'

/** Kosovo has no code of ISO 3166-1. CLDR, the European Union and carriers use this one, of the range for users. */
const KOSOVO = 'XK'
const COUNTRIES = new Set([
  ...iso31661.filter(({ state }) => state === 'assigned').map(({ alpha2 }) => alpha2),
  KOSOVO,
])

/** Whether `code` is an assigned ISO 3166-1 alpha-2 code in upper case, or that of Kosovo. */
export const isCountry = (code: string): boolean => COUNTRIES.has(code)
