/** Numbers and times in words. All times are in the zone of the staff member. */
import { zone } from '../preferences.ts'

const LANGUAGE = 'en-GB'

const counts = new Intl.NumberFormat(LANGUAGE)
const compactCounts = new Intl.NumberFormat(LANGUAGE, { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (value: number) => counts.format(value)
/** For axes and small spaces: 41.2K. */
export const formatCompact = (value: number) => compactCounts.format(value)
const sizes = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 })
const SIZES = ['bytes', 'KB', 'MB', 'GB', 'TB']
/** 512 bytes, 1.2 MB. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), SIZES.length - 1)
  return `${sizes.format(bytes / 1024 ** unit)} ${SIZES[unit]}`
}

/** A change: +50, −50. */
export const formatSigned = (value: number) =>
  value < 0 ? `−${counts.format(-value)}` : `+${counts.format(value)}`

const moneyIn = (currency: string) => {
  const format = new Intl.NumberFormat(LANGUAGE, { style: 'currency', currency })
  return { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 }
}

/** `amount` in minor units, or points. */
export function formatMoney(amount: number, currency: string): string {
  if (currency === 'POINTS') return `${counts.format(amount)} points`
  const { format, digits } = moneyIn(currency)
  return format.format(amount / 10 ** digits)
}

/** Minor units of a written amount, such as 12.50 or 12,5; null for an invalid amount of the currency (ISO 4217). */
export function minorUnitsOf(text: string, currency: string): number | null {
  if (!/^[A-Z]{3}$/.test(currency)) return null
  const { digits } = moneyIn(currency)
  const [, whole, fraction = ''] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text.trim()) ?? []
  return whole === undefined || fraction.length > digits ? null : Number(whole + fraction.padEnd(digits, '0'))
}

/** The amount alone, for a field: 79.00. */
export function writtenMoney(amount: number, currency: string): string {
  const { digits } = moneyIn(currency)
  return (amount / 10 ** digits).toFixed(digits)
}

const currencies = new Intl.DisplayNames(LANGUAGE, { type: 'currency' })
/** `EUR` as Euro (EUR). */
export const nameOfCurrency = (code: string) =>
  code === 'POINTS' ? 'Points' : `${nameIn(currencies, code)} (${code})`

const countries = new Intl.DisplayNames(LANGUAGE, { type: 'region' })
const languages = new Intl.DisplayNames(LANGUAGE, { type: 'language' })
const nameIn = (names: Intl.DisplayNames, code: string): string => {
  try {
    return names.of(code) ?? code
  } catch {
    // Not a code, but text of an import or of an older version.
    return code
  }
}
/** `PT` as Portugal. */
export const nameOfCountry = (code: string) => nameIn(countries, code)
/** `pt-BR` as Brazilian Portuguese. */
export const nameOfLanguage = (tag: string) => nameIn(languages, tag)

const formats = new Map<string, Intl.DateTimeFormat>()
function inZone(kind: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const timeZone = zone.value
  const key = `${kind} ${timeZone}`
  const kept = formats.get(key) ?? new Intl.DateTimeFormat(LANGUAGE, { timeZone, ...options })
  formats.set(key, kept)
  return kept
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** 25 Nov 2026, 14:03 */
export const formatTime = (instant: string) => inZone('time', { ...DATE, ...CLOCK }).format(new Date(instant))
/** 25 Nov 2026, 14:03:07 CET */
export const formatExactTime = (instant: string) =>
  inZone('exact', { ...DATE, ...CLOCK, second: '2-digit', timeZoneName: 'short' }).format(new Date(instant))
/** The offset of the staff's zone at an instant: GMT+1, CET. */
export const nameOfOffset = (instant: string) =>
  inZone('offset', { timeZoneName: 'short' })
    .formatToParts(new Date(instant))
    .find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** 25 Nov 2026 */
const formatDate = (instant: string) => inZone('date', DATE).format(new Date(instant))
/** Wednesday, 25 Nov 2026 */
export const formatDay = (instant: string) =>
  inZone('day', { weekday: 'long', ...DATE }).format(new Date(instant))
/** 14:03 */
export const formatClock = (instant: string) => inZone('clock', CLOCK).format(new Date(instant))

const relative = new Intl.RelativeTimeFormat(LANGUAGE, { style: 'short' })
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const
const MONTH_MS = 30 * 86_400_000

/** The clocks of server and browser differ by seconds, so what has just happened may be a little ahead. */
const SKEW_MS = 30_000

/**
 * 3 min ago, in 2 hr, 1 day ago (not “yesterday”, since 30 hours may be two calendar days); the date if it is more than a
 * month away.
 */
export function formatRelative(instant: string, now: number): string {
  const distance = Date.parse(instant) - now
  if (Math.abs(distance) > MONTH_MS) return formatDate(instant)
  for (const [unit, length] of UNITS)
    if (Math.abs(distance) >= length) return relative.format(Math.trunc(distance / length), unit)
  return distance > SKEW_MS ? 'in less than a minute' : 'just now'
}

/** 3 days, 2 hours, 40 seconds: one unit, rounded down. */
export function formatDuration(ms: number): string {
  const say = (value: number, unit: string) => `${counts.format(value)} ${unit}${value === 1 ? '' : 's'}`
  for (const [unit, length] of UNITS) if (ms >= length) return say(Math.floor(ms / length), unit)
  return say(Math.floor(ms / 1000), 'second')
}

/** `2026-11-25T14:03` in the staff's zone, for an input; empty for null. */
export function toWallTime(instant: string | null): string {
  if (instant === null) return ''
  const parts = inZone('wall', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(new Date(instant))
  const part = (type: string) => parts.find(one => one.type === type)?.value ?? ''
  const seconds = part('second') === '00' ? '' : `:${part('second')}`
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}${seconds}`
}

/** The instant of a wall time in the staff's zone; null for an empty one. For an hour that occurs twice, the first one. */
export function fromWallTime(wall: string): string | null {
  const asUtc = Date.parse(`${wall}Z`)
  if (Number.isNaN(asUtc)) return null
  const offsetAt = (instant: number) =>
    Date.parse(`${toWallTime(new Date(instant).toISOString())}Z`) - Math.floor(instant / 1000) * 1000
  // The offsets a day before and after differ if the clocks change in between.
  const DAY_MS = 86_400_000
  const offsets = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)]
  const fits = offsets.map(offset => asUtc - offset).filter(instant => instant + offsetAt(instant) === asUtc)
  // A skipped hour exists in neither offset: it becomes an hour later, as on the clocks of the zone.
  return new Date(fits.length > 0 ? Math.min(...fits) : asUtc - (offsets[0] ?? 0)).toISOString()
}
