import { DomainError } from '../../core/problems.ts'
import { Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { isMembershipKind } from '../memberships/membership-kind.ts'
import { findActiveKinds } from '../memberships/memberships.ts'
import { eligibilityProblems } from './problems.ts'
import { defineRequirement } from './requirement.ts'

const description = 'Kinds of membership. The fan has one of them now.'

/** A membership that is active now. */
export const membership = defineRequirement({
  member: 'membership',
  describe: {
    entry: Type.Array(Slug('A kind of membership.'), {
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description,
    }),
    shown: Type.Array(Type.String(), { description }),
  },
  problems: [eligibilityProblems.membership_required],
  async check(reader, { userId }, asked) {
    const kinds = await findActiveKinds(reader, userId, [...new Set(asked.flatMap(({ stated }) => stated))])
    return asked.map(({ stated, productId }) =>
      stated.some(id => kinds.has(id))
        ? null
        : new DomainError(eligibilityProblems.membership_required, { productId, membership: stated }),
    )
  },
  async findUnknown(reader, kindIds, isStated) {
    const faults = []
    for (const [index, id] of kindIds.entries())
      if (!isStated('memberships', id) && !(await isMembershipKind(reader, id)))
        faults.push({ pointer: `/${index}`, message: 'must be a kind of membership of the catalogue' })
    return faults
  },
})
