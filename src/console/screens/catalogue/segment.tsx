/** The fans of the draft of a segment, counted while it is edited, and where the segment is used. */
import { useEffect, useState } from 'preact/hooks'
import { api, type Data, download } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'
import { FanName } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'
import type { Members } from './shapes.ts'

/** Pause in editing before fans are counted. Milliseconds. */
const PAUSE_MS = 600

interface PanelProps {
  draft: Members
  /** The id of the stored entry. */
  stored: string | null
  isChanged: boolean
}

export function SegmentPanel({ draft, stored, isChanged }: PanelProps) {
  const written = JSON.stringify(draft)
  const [asked, setAsked] = useState(written)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(written), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [written])
  const preview = useResource(`segment ${asked}`, signal =>
    api.previewSegment({ entry: JSON.parse(asked) }, { signal }),
  )
  const { data, error } = preview
  if (data)
    return (
      <div class="stack">
        <Shown of={data} />
        {stored !== null && may('fans.export') && <Export id={stored} isChanged={isChanged} />}
      </div>
    )
  // A draft that is not complete says what is missing.
  return error === null ? <Skeleton /> : <Failed error={error} onRetry={preview.reload} />
}

/** The fans of the segment as it is stored. */
function Export({ id, isChanged }: { id: string; isChanged: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button blocked={isChanged && 'Save or discard your changes first.'} onClick={() => setOpen(true)}>
        Export the fans
      </Button>
      {isOpen && (
        <ReasonDialog
          title="Export the fans"
          action="Download CSV"
          onConfirm={async reason => {
            await download('exportSegment', { entryId: id, reason }, `segment-${id}.csv`)
            toast('The fans were exported.')
          }}
          onClose={() => setOpen(false)}
        >
          <p>Ids, subjects at the provider and handles of all fans who are in the segment now.</p>
        </ReasonDialog>
      )}
    </>
  )
}

function Shown({ of: { fans, sample, uses } }: { of: Data<'previewSegment'> }) {
  return (
    <div class="stack">
      <p class="headline" role="status">
        <strong>
          {formatCount(fans)} {fans === 1 ? 'fan' : 'fans'}
        </strong>{' '}
        {fans === 1 ? 'meets' : 'meet'} all conditions now.
      </p>
      {sample !== null && sample.length > 0 && (
        <Section title={sample.length < fans ? 'Some of them' : 'They are'}>
          <ul class="nested">
            {sample.map(fan => (
              <li key={fan.id}>
                <FanName fan={fan} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Where it is used">
        {uses.length === 0 ? (
          <Empty title="No active entry uses it" />
        ) : (
          <ul class="nested">
            {uses.map(({ kind, id, pointer }) => (
              <li key={`${kind} ${id} ${pointer}`}>
                <Link to={addressOf('catalogue', kind, 'entry', id)}>
                  {kind} <code>{id}</code>
                </Link>{' '}
                {pointer === '/fan' ? 'counts for its fans' : 'is for its fans only'}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  )
}
