import { Badge, type Tone } from '../../parts/badge.tsx'
import type { FanHead } from './types.ts'

type State = FanHead['states'][number]

const STATES: Record<State, { title: string; tone: Tone }> = {
  erased: { title: 'Erased', tone: 'neutral' },
  merged: { title: 'Merged', tone: 'neutral' },
  deleted: { title: 'Deleted at provider', tone: 'warn' },
  suspended: { title: 'Suspended', tone: 'bad' },
  hidden: { title: 'Hidden', tone: 'warn' },
  muted: { title: 'Muted', tone: 'warn' },
}

export const StateBadges = ({ states }: { states: State[] }) => (
  <>
    {states.map(state => (
      <Badge key={state} tone={STATES[state].tone}>
        {STATES[state].title}
      </Badge>
    ))}
  </>
)
