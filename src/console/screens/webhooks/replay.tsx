/** Sends events since a time again. First shows their number, then runs the replay as a job. */
import { useState } from 'preact/hooks'
import { api, asWritten } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { formatCount } from '../../parts/format.ts'
import { useResource } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Loaded, Note, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import type { ActProps } from './types.ts'

const DAY_MS = 86_400_000

export function ReplayDialog({ of: { id: endpointId }, onDone, onClose }: ActProps) {
  const [since, setSince] = useState<string | null>(() => new Date(Date.now() - DAY_MS).toISOString())
  const counted = useResource(since && `replay ${endpointId} ${since}`, signal =>
    api.countWebhookReplay({ endpointId, since: asWritten(since) }, { signal }),
  )
  const count = counted.data?.deliveries
  return (
    <ReasonDialog
      title="Replay"
      action={count === undefined ? 'Send again' : `Send ${formatCount(count)} again`}
      onConfirm={async reason => {
        await api.replayWebhooks({ endpointId, since: asWritten(since), reason })
        toast('The replay is running. Jobs shows its progress.')
        onDone()
      }}
      onClose={onClose}
      fields={
        <>
          <TimeField label="Events since" pointer="/since" required value={since} onChange={setSince} />
          <div aria-live="polite">
            {since !== null && (
              <Loaded of={counted} skeleton={<Skeleton lines={1} />}>
                {({ deliveries }) => (
                  <Note tone={deliveries === 0 ? 'warn' : 'info'}>
                    {deliveries === 0
                      ? 'No deliveries are stored since then: nothing would be sent.'
                      : `${formatCount(deliveries)} deliveries become pending again.`}
                  </Note>
                )}
              </Loaded>
            )}
          </div>
        </>
      }
    >
      <p>
        All deliveries of events since then are sent again, in order for each fan and before newer ones. Each
        keeps its message id, so that the receiver can recognize duplicates.
      </p>
    </ReasonDialog>
  )
}
