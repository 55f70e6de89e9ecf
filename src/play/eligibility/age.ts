import { isOldEnough } from '../../core/age-bands.ts'
import { DomainError } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'
import { readAgeBand } from '../../identity/users/age.ts'
import { eligibilityProblems } from './problems.ts'
import { defineRequirement } from './requirement.ts'

const MinAge = Type.Union([Type.Literal(13), Type.Literal(16), Type.Literal(18)], {
  description: 'Only fans who are at least as old.',
  errorNoun: '13, 16 or 18',
})

/** The age band of the fan. An unknown age does not meet it. */
export const minAge = defineRequirement({
  member: 'minAge',
  describe: { entry: MinAge, shown: MinAge },
  problems: [eligibilityProblems.age_required],
  async check(reader, { userId }, asked) {
    const ageBand = await readAgeBand(reader, userId)
    return asked.map(({ stated, productId }) =>
      isOldEnough(ageBand, stated)
        ? null
        : new DomainError(eligibilityProblems.age_required, { productId, minAge: stated, ageBand }),
    )
  },
})
