/** Currencies of ISO 4217, as the runtime knows them. */
export const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** What prices and limits are in: money, or points of the club. */
export const isCurrencyOrPoints = (currency: string): boolean =>
  currency === 'POINTS' || CURRENCIES.has(currency)
