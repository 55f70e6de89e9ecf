/** What each operation of this folder can throw. `bun run problems` writes it from the bodies; it keeps the order. */
import { transportProblems } from '../../core/transport-problems.ts'
import { userProblems } from '../users/problems.ts'
import { relationProblems } from './problems.ts'

export const thrownBy = {
  followFan: [
    userProblems.fan_not_found,
    relationProblems.cannot_follow_yourself,
    relationProblems.follow_limit_reached,
  ],
  blockFan: [userProblems.fan_not_found, relationProblems.cannot_follow_yourself],
  muteFan: [userProblems.fan_not_found, relationProblems.cannot_follow_yourself],
  unfollowFan: [userProblems.fan_not_found, relationProblems.cannot_follow_yourself],
  unblockFan: [userProblems.fan_not_found, relationProblems.cannot_follow_yourself],
  unmuteFan: [userProblems.fan_not_found, relationProblems.cannot_follow_yourself],
  listFollowing: [transportProblems.invalid_cursor],
  listBlocks: [transportProblems.invalid_cursor],
  listMutes: [transportProblems.invalid_cursor],
  listFollowers: [transportProblems.invalid_cursor],
  changePrivacy: [transportProblems.guardian_consent_required],
} as const
