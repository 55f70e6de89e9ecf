/** The fans of the draft of a segment, counted while it is edited, and where the segment is used. */
import { useEffect, useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource.ts'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { FanName } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import type { Members } from './shapes.ts'

/** Pause in editing before fans are counted. Milliseconds. */
const PAUSE_MS = 600

export function SegmentPanel({ draft }: { draft: Members }) {
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
  if (data) return <Shown of={data} />
  // A draft that is not complete says what is missing.
  return error === null ? <Skeleton /> : <Failed error={error} onRetry={preview.reload} />
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
