import { DomainError } from '../../core/problems.ts'
import { Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { eligibilityProblems } from './problems.ts'
import { defineRequirement } from './requirement.ts'

/** A copy of a collectible that the fan owns now. */
export const collectible = defineRequirement({
  member: 'collectibleId',
  describe: {
    entry: Slug('A collectible that the fan owns.'),
    shown: Type.String({ description: 'A collectible that the fan owns.' }),
  },
  problems: [eligibilityProblems.collectible_required],
  async check(reader, { userId }, asked) {
    const ids = asked.map(({ stated }) => stated)
    const owned = await reader.spine.eligibility.findOwned(reader, userId, ids)
    return asked.map(({ stated: collectibleId, productId }) =>
      owned.has(collectibleId)
        ? null
        : new DomainError(eligibilityProblems.collectible_required, { productId, collectibleId }),
    )
  },
  findUnknown: async (reader, id, isStated) =>
    isStated('collectibles', id) || (await reader.spine.eligibility.isCollectible(reader, id))
      ? []
      : [{ pointer: '', message: 'must be a collectible of the catalogue' }],
})
