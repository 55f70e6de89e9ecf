/** The words for campaigns. */
import type { Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Time } from '../../parts/values.tsx'

export type Listed = Data<'listCampaigns'>['campaigns'][number]

const STATES: Record<Listed['state'], [string, Tone]> = {
  draft: ['Draft', 'neutral'],
  scheduled: ['Scheduled', 'info'],
  running: ['Running', 'accent'],
  stopped: ['Stopped', 'warn'],
  finished: ['Finished', 'good'],
}

export const StateBadge = ({ of: { state } }: { of: Pick<Listed, 'state'> }) => (
  <Badge tone={STATES[state][1]}>{STATES[state][0]}</Badge>
)

/** An instant, or a local time of each fan. */
export const DueTime = ({ of: { at } }: { of: Pick<Listed, 'at'> }) =>
  /(Z|[+-]\d\d:\d\d)$/.test(at) ? <Time at={at} /> : <>{at.replace('T', ', ')} of each fan</>
