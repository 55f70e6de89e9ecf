/** Problems of codes. `already_redeemed` and `limit_reached` are declared with rewards. */
import { DomainError, defineProblems } from '../../core/problems.ts'

export const codeProblems = defineProblems({
  code_not_found: {
    status: 404,
    title: 'There is no such code',
    description:
      'No campaign has this code, or the club has voided it. Compare it with what is printed. Attempts that fail are limited: after ten in ten minutes the caller has to wait.',
  },
  campaign_over: {
    status: 409,
    title: 'The campaign of this code is not running',
    description:
      'The campaign has not begun, is switched off or has ended, or all of its codes are redeemed. A campaign that has not begun accepts the code later.',
  },
  code_used: {
    status: 409,
    title: 'Another fan has used this code',
    description: 'Each code of the campaign works for one fan, and another one has redeemed it.',
  },
})

/** A guess, which is limited: also of the code of a league. */
export const isUnknownCode = (error: unknown): boolean =>
  error instanceof DomainError && error.code === codeProblems.code_not_found.code
