/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { publicTextProblems } from '../../identity/public-text/problems.ts'
import { userProblems } from '../../identity/users/problems.ts'
import { packProblems } from '../packs/problems.ts'
import { lockerProblems } from './problems.ts'

export const thrownBy = {
  writeLocker: [
    publicTextProblems.terms_not_accepted,
    publicTextProblems.text_not_allowed,
    packProblems.item_not_owned,
  ],
  readLocker: [userProblems.fan_not_found, lockerProblems.locker_not_found],
} as const
