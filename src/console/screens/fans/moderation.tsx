import { Badge } from '../../parts/badge.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/values.tsx'
import { titleOf } from '../moderation/words.ts'
import { FanTimeline } from './timeline.tsx'
import type { FanHead } from './types.ts'

type Sanction = FanHead['sanctions'][number]

const KINDS: Record<Sanction['kind'], string> = { hide: 'Hidden', mute: 'Muted', suspend: 'Suspended' }

function factsOf({ reason, createdAt, until, decidedBy }: Sanction): Parameters<typeof Facts>[0]['of'] {
  const facts: Parameters<typeof Facts>[0]['of'] = [
    ['State', <Badge tone="bad">In force</Badge>],
    ['Reason', titleOf(reason)],
    ['Since', <Time at={createdAt} />],
  ]
  if (until !== null) facts.push(['Until', <Time at={until} />])
  if (decidedBy !== null) facts.push(['Decided by', <bdi>{decidedBy}</bdi>])
  return facts
}

/** Sanctions in force, and all decisions about the fan. */
export function ModerationTab({ head: { id, sanctions } }: { head: FanHead }) {
  return (
    <>
      {sanctions.map(sanction => (
        <Section key={sanction.id} title={KINDS[sanction.kind]}>
          <Facts of={factsOf(sanction)} />
        </Section>
      ))}
      <FanTimeline fanId={id} only="moderation" />
    </>
  )
}
