/** Open appeals. The person who decided the sanction cannot decide its appeal. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/page.tsx'
import { usePages } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { More } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'
import { AppealDialog } from './decide-dialog.tsx'
import { KINDS, nameOf, titleOf } from './words.ts'

const POLL_MS = 30_000

/** `onDone`: a decision changes the counts. */
export function AppealList({ onDone }: { onDone: () => unknown }) {
  const [deciding, setDeciding] = useState<{ id: string; granted: boolean } | null>(null)
  const pages = usePages<Data<'listAppeals'>['appeals'][number]>(
    'appeals',
    async (cursor, signal) => {
      const { appeals, nextCursor } = await api.listAppeals({ cursor, limit: 100 }, { signal })
      return { items: appeals, nextCursor }
    },
    { pollMs: POLL_MS },
  )
  return (
    <Loaded of={pages}>
      {appeals => {
        const chosen = appeals.find(({ id }) => id === deciding?.id)
        return (
          <>
            {appeals.length === 0 && <Empty icon="check" title="No appeal is open" />}
            {appeals.map(({ id, fan, text, sanction, yours, createdAt }) => (
              <Section
                key={id}
                title={nameOf(fan)}
                about={
                  <>
                    Against: {KINDS[sanction.kind].done.toLowerCase()} for{' '}
                    {titleOf(sanction.reason).toLowerCase()} by <bdi>{sanction.decidedBy}</bdi>,{' '}
                    <Time at={sanction.createdAt} relative />
                    {sanction.until && (
                      <>
                        , until <Time at={sanction.until} />
                      </>
                    )}
                  </>
                }
                actions={<DecideButtons yours={yours} onDecide={granted => setDeciding({ id, granted })} />}
              >
                <blockquote>
                  <bdi class="written">{text}</bdi>
                </blockquote>
                <p class="quiet">
                  Written <Time at={createdAt} relative />
                  {may('fans.read') && (
                    <>
                      {' · '}
                      <Link to={addressOf('fans', fan.id)}>Page of the fan</Link>
                    </>
                  )}
                </p>
              </Section>
            ))}
            {appeals.length > 0 && (
              <div class="table-foot">
                <More pages={pages} count={appeals.length} />
              </div>
            )}
            {deciding && chosen && (
              <AppealDialog
                appealId={deciding.id}
                granted={deciding.granted}
                usual={chosen.sanction.reason}
                onClose={() => setDeciding(null)}
                onDone={() => Promise.all([pages.reload(), onDone()])}
              />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function DecideButtons({ yours, onDecide }: { yours: boolean; onDecide: (granted: boolean) => unknown }) {
  const blocked = yours
    ? 'You decided the sanction: another person decides the appeal.'
    : !may('moderation.write') && 'Your role can read appeals, but not decide them.'
  return (
    <>
      {yours && <Badge tone="info">Your decision: another person decides</Badge>}
      <Button small blocked={blocked} onClick={() => onDecide(false)}>
        Reject
      </Button>
      <Button small kind="primary" blocked={blocked} onClick={() => onDecide(true)}>
        Grant
      </Button>
    </>
  )
}
