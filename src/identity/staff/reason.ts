/** The reason of an action of staff: required for every write that cannot be undone at once. */
import { Formatted } from '../../core/formats.ts'
import { isVisible } from '../../core/name-text.ts'

export const Reason = Formatted('reason', isVisible, {
  minLength: 1,
  maxLength: 500,
  description:
    'Why, for the audit log, which keeps it permanently: without names, addresses and other personal data.',
  errorNoun: 'a reason of 1 to 500 characters',
  examples: ['The scanner at gate 4 was down.'],
})
