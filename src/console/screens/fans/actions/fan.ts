import type { FanHead } from '../types.ts'

/** What the actions need to know of a fan. */
export type ActionFan = Pick<
  FanHead,
  'id' | 'handle' | 'displayName' | 'erasedAt' | 'mergedIntoId' | 'points' | 'cash' | 'leaderboard'
>

export interface ActionProps {
  fan: ActionFan
  /** Closes the dialog, also after success. */
  onClose: () => unknown
  /** The fan has changed: read it again. */
  onDone: () => unknown
}

export const nameOf = ({ displayName, handle, id }: ActionFan) =>
  displayName ?? (handle === null ? id : `@${handle}`)

/** What a person types to confirm that they mean this fan. */
export const typedNameOf = ({ handle, id }: ActionFan) => handle ?? id
