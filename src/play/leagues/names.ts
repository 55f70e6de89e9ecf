/** Names of members. */
import type { Reader } from '../../../db/index.ts'
import { type BoardName, nameless, readBoardNames } from '../../identity/relations/board-names.ts'
import { listHidden } from '../../identity/relations/visibility.ts'

/** What the viewer sees of fans: nothing if one has blocked the other. */
export async function readNames(reader: Reader, viewerId: string, userIds: string[]) {
  const ids = [...new Set(userIds)]
  const names = await readBoardNames(reader, ids)
  const hidden = await listHidden(reader, viewerId, ids)
  return (userId: string): BoardName => (hidden.has(userId) ? nameless : (names.get(userId) ?? nameless))
}
