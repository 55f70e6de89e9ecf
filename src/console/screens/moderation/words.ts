/** The words of moderation. */
import type { Data, Input } from '../../api.ts'
import type { Tone } from '../../parts/badge.tsx'
import type { IconName } from '../../parts/icon.tsx'

export type FanRecord = Data<'readModerationRecord'>
export type Kind = FanRecord['decisions'][number]['kind']

interface KindWords {
  /** Text of the button. */
  action: string
  /** Text in the history. */
  done: string
  about: string
  icon: IconName
  tone: Tone
}

export const KINDS: Record<Kind, KindWords> = {
  dismiss: {
    action: 'Dismiss',
    done: 'Dismissed',
    icon: 'check',
    tone: 'neutral',
    about: 'No rule was broken. The reports are resolved, and nothing changes for the fan.',
  },
  hide: {
    action: 'Hide',
    done: 'Hidden',
    icon: 'lock',
    tone: 'warn',
    about: 'Others do not see name, handle and picture of the fan until the sanction is lifted.',
  },
  mute: {
    action: 'Mute',
    done: 'Muted',
    icon: 'pause',
    tone: 'warn',
    about: 'Activities of the fan appear in no feed until the sanction is lifted.',
  },
  suspend: {
    action: 'Suspend',
    done: 'Suspended',
    icon: 'shield',
    tone: 'bad',
    about: 'The fan can read, but not write, until the time below, and can appeal once.',
  },
  note: {
    action: 'Note',
    done: 'Note',
    icon: 'message',
    tone: 'neutral',
    about: 'For moderators only. It changes nothing, and the case stays open.',
  },
  lift: {
    action: 'Lift',
    done: 'Lifted',
    icon: 'undo',
    tone: 'good',
    about: 'Ends the sanction at once. An open appeal against it is granted.',
  },
}

export type ReasonName = Input<'decideCase'>['reason']

const REASON_TITLES: Record<ReasonName, string> = {
  spam: 'Spam',
  harassment: 'Harassment',
  hate: 'Hate',
  sexual: 'Sexual content',
  impersonation: 'Impersonation',
  cheating: 'Cheating',
  other: 'Other',
}

export const titleOf = (reason: ReasonName): string => REASON_TITLES[reason]

/** Guarantee of the cast: the keys of the constant. */
export const REASONS = (Object.keys(REASON_TITLES) as ReasonName[]).map(value => ({
  value,
  title: REASON_TITLES[value],
}))

export const nameOf = ({ handle, id }: { handle: string | null; id: string }) =>
  handle === null ? `Fan ${id.slice(-8)}` : `@${handle}`

/** A case waits at most a day. */
export const PROMISE_MS = 86_400_000

/** What a report or a notice is about. */
export const SUBJECTS = {
  fan: 'Profile',
  locker: 'Locker room',
  trade: 'Trade',
  league: 'League',
} as const
