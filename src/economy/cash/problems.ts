/** Problems of cash. */
import { DomainError, defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

const minorUnits = (description: string) => Type.Integer({ description, minimum: 0 })

export const cashProblems = defineProblems({
  cash_not_accepted: {
    status: 409,
    title: 'Cash in this currency is not accepted',
    description:
      'Cash exists only in the currencies of `CASH_CURRENCIES`, and can only pay a price in one of them. Use another payment method.',
  },
  insufficient_cash: {
    status: 409,
    title: 'Not enough cash',
    description:
      'The available cash of the fan is lower than the price. Show `missing`, and offer a top-up or another payment method.',
    members: Type.Object({
      currency: Type.String({ description: 'ISO 4217.' }),
      required: minorUnits('The price, in minor units.'),
      available: minorUnits('The balance without what is held.'),
      missing: minorUnits('The difference.'),
    }),
    example: { currency: 'EUR', required: 500, available: 120, missing: 380 },
  },
})

export const insufficientCash = (currency: string, required: number, available: number) =>
  new DomainError(cashProblems.insufficient_cash, {
    currency,
    required,
    available,
    missing: required - available,
  })
