/** Imports no table: pages of the console read the types of redemptions. */
import { Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

/** The members that describe a reward. */
export const rewardMembers = {
  id: Type.String({ description: 'Slug of the reward.' }),
  title: Type.String({ description: 'Title of the reward.' }),
  description: Type.String({ description: 'What the fan gets, and how.' }),
  imageUrl: Nullable(Type.String(), { description: 'https URL, or a path of the API’s origin.' }),
  itemType: Type.String({ examples: ['voucher'], description: 'Kind of item: any text.' }),
}

export const exampleMembers = {
  id: 'scarf-discount',
  title: '20 % off the home scarf',
  description: 'One scarf of this season, in the stadium shop or online.',
  imageUrl: null,
  itemType: 'voucher',
}
