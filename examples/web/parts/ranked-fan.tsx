/** The start of a row of a table of fans: rank, face and name, which leads to the fan. */
import type { ComponentChildren } from 'preact'
import { formatInteger, text } from '../lang/lang.ts'
import { addressOf, Link } from '../router.tsx'
import { Avatar } from './picture.tsx'

interface RankedFanProps {
  entry: { handle: string | null; displayName: string | null; avatarUrl: string | null; rank: number }
  mine: boolean
  /** As it is shown. */
  name: string
  /** After the name. */
  children?: ComponentChildren
}

export const RankedFan = ({ entry, mine, name, children }: RankedFanProps) => (
  <>
    <span class="rank">{formatInteger(entry.rank)}</span>
    <Avatar name={entry.displayName} src={entry.avatarUrl} />
    <span class="grow league-name">
      {entry.handle ? (
        <Link to={mine ? addressOf('profile') : addressOf('fans', entry.handle)} class="whole-row">
          <bdi>{name}</bdi>
        </Link>
      ) : (
        <bdi>{name}</bdi>
      )}
      {mine && <span class="pill">{text.leaderboard.you}</span>}
      {children}
    </span>
  </>
)
