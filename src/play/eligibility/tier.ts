import { DomainError } from '../../core/problems.ts'
import { Closed, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { readAccountTiers } from '../../economy/accounts/account-kind.ts'
import { hasTier } from '../../economy/accounts/fan-tiers.ts'
import { eligibilityProblems } from './problems.ts'
import { defineRequirement } from './requirement.ts'

const description = 'A tier of an account that the fan has, or a higher one.'

/** A tier that the fan has now. */
export const tier = defineRequirement({
  member: 'tier',
  describe: {
    entry: Closed({ account: Slug('The account.'), atLeast: Slug('The lowest tier.') }, { description }),
    shown: Closed(
      {
        account: Type.String({ description: 'The account.' }),
        atLeast: Type.String({ description: 'The lowest tier.' }),
      },
      { description },
    ),
  },
  normalize: ({ account, atLeast }) => ({ account, atLeast }),
  problems: [eligibilityProblems.tier_required],
  locksLedgers: true,
  async check(reader, { userId }, asked) {
    const known = new Map<string, boolean>()
    for (const { stated } of asked) {
      const name = `${stated.account} ${stated.atLeast}`
      if (!known.has(name)) known.set(name, await hasTier(reader, userId, stated))
    }
    return asked.map(({ stated, productId }) =>
      known.get(`${stated.account} ${stated.atLeast}`)
        ? null
        : new DomainError(eligibilityProblems.tier_required, { productId, tier: stated }),
    )
  },
  async findUnknown(reader, { account, atLeast }, isStated) {
    if (isStated('accounts', account)) return []
    const tiers = await readAccountTiers(reader, account)
    if (!tiers) return [{ pointer: '/account', message: 'must be an account of the catalogue' }]
    return tiers.includes(atLeast) ? [] : [{ pointer: '/atLeast', message: 'must be a tier of the account' }]
  },
})
