import { findSegment } from '../../club/segments/segment-kind.ts'
import { DomainError } from '../../core/problems.ts'
import { Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { eligibilityProblems } from './problems.ts'
import { defineRequirement } from './requirement.ts'

/** A segment of the club, of which the problem says nothing. */
export const segment = defineRequirement({
  member: 'segment',
  describe: {
    entry: Slug('A segment. Only fans who are in it now.'),
    shown: Type.String({
      description: 'Only for fans that the club has chosen: an id that has no meaning for fans.',
    }),
  },
  problems: [eligibilityProblems.not_in_segment],
  async check(reader, { userId }, asked) {
    const isMember = new Map<string, boolean>()
    for (const id of new Set(asked.map(({ stated }) => stated)))
      isMember.set(id, await reader.spine.segments.isInSegment(reader, userId, id))
    return asked.map(({ stated, productId }) =>
      isMember.get(stated) ? null : new DomainError(eligibilityProblems.not_in_segment, { productId }),
    )
  },
  findUnknown: async (reader, id, isStated) =>
    isStated('segments', id) || (await findSegment(reader, id))
      ? []
      : [{ pointer: '', message: 'must be a segment of the catalogue' }],
})
