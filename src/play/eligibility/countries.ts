import { isCountry } from '../../core/country.ts'
import { DomainError } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'
import { readCountry } from '../../identity/users/locks.ts'
import { eligibilityProblems } from './problems.ts'
import { defineRequirement } from './requirement.ts'

/** The country of the fan, as a requirement of one of two kinds. An unknown country meets neither. */
function byCountry<const Member extends 'countries' | 'notCountries'>(member: Member, description: string) {
  const Countries = Type.Array(Type.String({ pattern: '^[A-Z]{2}$', errorNoun: 'a country like GB' }), {
    minItems: 1,
    maxItems: 250,
    description: `${description} ISO 3166-1 alpha-2, or XK. Of the shipping address, else of the profile.`,
  })
  return defineRequirement({
    member,
    describe: { entry: Countries, shown: Countries },
    problems: [eligibilityProblems.not_sold_there],
    async check(reader, { userId, shippingCountry }, asked) {
      const country = shippingCountry ?? (await readCountry(reader, userId))
      return asked.map(({ stated, productId }) =>
        country !== null && stated.includes(country) === (member === 'countries')
          ? null
          : new DomainError(eligibilityProblems.not_sold_there, { productId, country, [member]: stated }),
      )
    },
    findFaults: countries =>
      countries.flatMap((country, index) => {
        const pointer = `/${index}`
        if (!isCountry(country))
          return [{ pointer, message: 'must be a country of ISO 3166-1 alpha-2, or XK' }]
        return countries.indexOf(country) < index ? [{ pointer, message: 'must be listed once' }] : []
      }),
  })
}

export const countries = byCountry('countries', 'Only fans of these countries.')
export const notCountries = byCountry('notCountries', 'No fans of these countries.')
