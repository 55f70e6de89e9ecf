/** Writes amounts in minor units, whose number the currency of ISO 4217 decides. */
export function moneyFormat(currency: string, lang: string): (amount: number) => string {
  const format = new Intl.NumberFormat(lang, { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return amount => format.format(amount / 10 ** digits)
}
