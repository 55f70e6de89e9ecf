/** Problems of packs and their purchases. */
import { defineProblems } from '../../core/problems.ts'

export const packProblems = defineProblems({
  pack_not_found: {
    status: 404,
    title: 'There is no such pack',
    description: 'No pack has this id. Read the list of packs again.',
  },
  pack_inactive: {
    status: 409,
    title: 'The pack is not on sale now',
    description:
      'The pack is switched off, outside its sales period, or not ready for sale. Try again once the pack is active.',
  },
  sold_out: {
    status: 409,
    title: 'The pack is sold out',
    description:
      'Every pack is sold, or held by a pending purchase. A hold that expires makes a pack available again.',
  },
  too_many_holds: {
    status: 409,
    title: 'You have too many pending purchases of this pack',
    description:
      'The caller has reached the maximum number of pending purchases of this pack. Complete one of them, or wait until one expires.',
  },
  purchase_expired: {
    status: 409,
    title: 'The purchase has expired; start another',
    description:
      'The purchase was not completed in time. Start a new one; a payment that arrives too late is refunded.',
  },
  purchase_not_pending: {
    status: 409,
    title: 'The purchase is not pending',
    description:
      'The purchase is completed, expired, cancelled or refunded; `detail` states which. Read the purchase again, or start a new one.',
  },
  user_pack_not_found: {
    status: 404,
    title: 'You have no such pack',
    description: 'The caller owns no pack with this id. Read the inventory of the caller again.',
  },
  item_not_found: {
    status: 404,
    title: 'There is no such item',
    description: 'No copy of this collectible has this serial number yet.',
  },
  item_not_owned: {
    status: 409,
    title: 'An item does not belong to the fan who wants to give or show it',
    description:
      'The item does not exist, or has another owner: `detail` or `errors` name it. Read the collection again. A trade that is accepted becomes `void`; make a new one.',
  },
  proof_not_found: {
    status: 404,
    title: 'There is no proof of a pack with this id',
    description:
      'No pack with this id has been opened, or the seed that its fan chose was deleted with the account. The proof of a draw exists when the pack has been opened.',
  },
})
