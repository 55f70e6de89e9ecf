/**
 * The language of the app: that of the address (`?lang=pt`), the fan's choice, otherwise the browser's, otherwise English. A new language needs a file and a
 * line here.
 */
import { ar } from './ar.ts'
import { en, type Text } from './en.ts'
import { pt } from './pt.ts'
import { ptBr } from './pt-br.ts'

interface Language {
  /** BCP 47. */
  id: string
  name: string
  dir: 'ltr' | 'rtl'
  text: Text
}

const languages: [Language, ...Language[]] = [
  { id: 'en', name: 'English', dir: 'ltr', text: en },
  { id: 'pt', name: 'Português', dir: 'ltr', text: pt },
  { id: 'pt-BR', name: 'Português (Brasil)', dir: 'ltr', text: ptBr },
  { id: 'ar', name: 'العربية', dir: 'rtl', text: ar },
]

const CHOICE = 'matchday language'

function chooseLanguage(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  const wanted = [asked, localStorage.getItem(CHOICE), ...navigator.languages]
  for (const tag of wanted) {
    const name = tag?.toLowerCase()
    const isNamed = (full: string | undefined) => languages.find(({ id }) => id.toLowerCase() === full)
    const found = isNamed(name) ?? isNamed(name?.split('-', 1)[0])
    if (found) return found
  }
  return languages[0]
}

export const language = chooseLanguage()
export const { text } = language
export const languageNames = languages.map(({ id, name }) => ({ id, name }))

/** Renders the page again with the texts of the other file. */
export function changeLanguage(id: string): void {
  localStorage.setItem(CHOICE, id)
  location.reload()
}

export function applyLanguage(): void {
  document.documentElement.lang = language.id
  document.documentElement.dir = language.dir
}

/** In the browser's own variant of the language, such as British English. */
const locale =
  navigator.languages.find(tag => tag.toLowerCase().startsWith(language.id.toLowerCase())) ?? language.id

const integer = new Intl.NumberFormat(locale)
const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
const signed = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' })
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const kickoffDay = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' })
const left = new Intl.RelativeTimeFormat(locale)
const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** From left to right in every language. */
export const formatHandle = (handle: string) => `\u2066@${handle}\u2069`
export const formatInteger = (value: number) => integer.format(value)
export const formatSigned = (value: number) => signed.format(value)
export const formatPercent = (probability: string) => percent.format(Number(probability))
export const formatShare = (part: number) => share.format(part)
export const formatDay = (instant: string) => day.format(new Date(instant))
export const formatMoment = (instant: string) => moment.format(new Date(instant))
export const formatKickoffDay = (instant: string) => kickoffDay.format(new Date(instant))
export const formatTime = (instant: string) => time.format(new Date(instant))

/** Such as “in 6 days”. */
export function formatLeft(instant: string): string {
  const minutes = Math.max(1, Math.round((Date.parse(instant) - Date.now()) / 60_000))
  if (minutes < 60) return left.format(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? left.format(hours, 'hour') : left.format(Math.floor(hours / 24), 'day')
}
const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' })
/** Regions that browsers name but ISO 3166-1 does not list. */
const NO_COUNTRIES = new Set(
  'EU EZ UN UK XA XB QO ZZ AC CP CQ DG EA IC TA AN BU CS DD FX NT SU TP YD YU ZR'.split(' '),
)
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** The name of a country with this code (ISO 3166-1 alpha-2). */
export const countryName = (code: string) => regions.of(code) ?? code

/** Every country that the browser can name, in the order of the language. */
export const countryNames = () =>
  LETTERS.flatMap(first => LETTERS.map(second => first + second))
    .flatMap(code => {
      const name = NO_COUNTRIES.has(code) ? undefined : regions.of(code)
      return name === undefined ? [] : [{ code, name }]
    })
    .sort((a, b) => a.name.localeCompare(b.name, locale))

const formatOf = (currency: string) => new Intl.NumberFormat(locale, { style: 'currency', currency })

/** Minor units in one unit of an ISO 4217 currency: 100 for EUR, 1 for JPY. */
export const minorUnitsOf = (currency: string): number =>
  10 ** (formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2)

/** `amount` in minor units of an ISO 4217 currency. */
export const formatMoney = (amount: number, currency: string): string =>
  formatOf(currency).format(amount / minorUnitsOf(currency))
