import { isCurrencyOrPoints } from '../../core/currencies.ts'
import { Formatted } from '../../core/formats.ts'
import { Closed, Instant, InstantInput, Integer, Nullable, OneOf } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'

const PERIOD = 'Calendar days, ISO weeks and months in the time zone of the club.'

const shownCurrency = { pattern: '^([A-Z]{3}|POINTS)$', description: 'ISO 4217, or POINTS.' }

const SpendingLimit = Closed({
  amount: Integer({ minimum: 0, description: 'In minor units of the currency, or in points. 0: nothing.' }),
  currency: Type.String(shownCurrency),
  per: OneOf(['day', 'week', 'month'], { description: PERIOD }),
})
export type SpendingLimit = Static<typeof SpendingLimit>

/** What fans state. Older versions took any three letters as a currency. */
const StatedLimit = Closed({
  ...SpendingLimit.properties,
  currency: Formatted('currency-or-points', isCurrencyOrPoints, {
    errorNoun: 'POINTS or a currency of ISO 4217, such as EUR',
    documentedAs: { type: 'string', ...shownCurrency, examples: ['EUR'] },
  }),
})

const set = {
  spending: Nullable(SpendingLimit, { description: 'What you allow yourself to spend. Null: no limit.' }),
  next: Nullable(
    Closed({
      spending: Nullable(SpendingLimit, { description: 'Null: then there is no limit.' }),
      at: Instant('When it replaces `spending`.'),
    }),
    { description: 'A limit that is not as strict, which holds after 24 hours. Null: none waits.' },
  ),
  pauseUntil: Nullable(Instant('Until then you can start no purchase. Null: you have no pause.')),
}

/** What a fan has set, for staff. */
export const SetLimits = Closed(set)
export type SetLimits = Static<typeof SetLimits>

export const OwnLimits = Closed(
  {
    ...set,
    spent: Nullable(
      Closed({
        amount: Integer({
          minimum: 0,
          description:
            'Packs, orders and top-ups in the currency of the limit, pending or paid, less refunds.',
        }),
        until: Instant('When the next period begins.'),
      }),
      { description: 'What counts against `spending` in this period. Null: there is no limit.' },
    ),
  },
  { title: 'OwnLimits' },
)
export type OwnLimits = Static<typeof OwnLimits>

export const ChangeLimits = Closed(
  {
    spending: Type.Optional(
      Nullable(StatedLimit, {
        description:
          'A stricter limit holds at once: one that allows no more in any period. Any other one, null included, holds after 24 hours.',
      }),
    ),
    pauseUntil: Type.Optional(
      Nullable(
        InstantInput(
          'A time within five years. A longer pause holds at once; a shorter one, or null, ends it in 24 hours at the earliest.',
        ),
      ),
    ),
  },
  { title: 'OwnLimitsChange' },
)
export type ChangeLimits = Static<typeof ChangeLimits>

export const exampleLimits: OwnLimits = {
  spending: { amount: 5000, currency: 'EUR', per: 'month' },
  next: null,
  pauseUntil: null,
  spent: { amount: 1250, until: '2026-11-30T23:00:00.000Z' },
}
