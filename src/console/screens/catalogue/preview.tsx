/** A preview of the grants of a draft rule or quest for the events of the last days. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type LineOf, readLines } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { formatCount } from '../../parts/format.ts'
import { Columns, Section } from '../../parts/page.tsx'
import { Empty, Failed, Note } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Choice } from '../../parts/tabs.tsx'
import { Points } from '../../parts/values.tsx'
import { addressOf, Link } from '../../router.tsx'
import { may } from '../../session.ts'
import type { Members } from './shapes.ts'

type RuleResult = NonNullable<LineOf<'previewRule'>['result']>
type QuestResult = NonNullable<LineOf<'previewQuest'>['result']>
type Line = LineOf<'previewRule'> | LineOf<'previewQuest'>
type Result = RuleResult | QuestResult
type Top = Result['top'][number]

const DAYS = [7, 30, 90].map(days => ({ value: String(days), title: `${days} days` }))

const REFUSALS: Record<keyof RuleResult['refused'], string> = {
  unmet: 'did not meet a condition',
  no_points: 'were worth no points',
  not_started: 'were before its start',
  ended: 'were after its end',
  segment: 'were of fans who are not in its segment',
  limit: 'exceeded its limit',
  budget: 'did not fit into its budget',
}

const TOP: Column<Top>[] = [
  {
    id: 'fan',
    title: 'Fan',
    cell: ({ userId }) =>
      may('fans.read') ? <Link to={addressOf('fans', userId)}>{userId}</Link> : <code>{userId}</code>,
  },
  { id: 'times', title: 'Times', width: '5rem', align: 'end', cell: ({ times }) => formatCount(times) },
  {
    id: 'points',
    title: 'Points',
    width: '7rem',
    align: 'end',
    cell: ({ points }) => <Points value={points} />,
  },
]

export function PreviewPanel({ kind, draft }: { kind: 'rule' | 'quest'; draft: Members }) {
  const [days, setDays] = useState('30')
  const [progress, setProgress] = useState<Line['progress'] | null>(null)
  const [result, setResult] = useState<{ of: string; value: Result } | null>(null)
  const [error, setError] = useState<unknown>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const asked = JSON.stringify([draft, days])

  async function run() {
    const abort = new AbortController()
    running.current = abort
    setError(null)
    setProgress({ events: 0, share: 0 })
    const id = kind === 'rule' ? 'previewRule' : 'previewQuest'
    try {
      await readLines(id, { entry: draft, days: Number(days) }, abort.signal, line => {
        if (line.progress) setProgress(line.progress)
        if (line.result) setResult({ of: asked, value: line.result })
        if (line.failed) setError(new Error('The preview failed.'))
      })
    } catch (failure) {
      if (!abort.signal.aborted) setError(failure)
    } finally {
      if (running.current === abort) {
        running.current = null
        setProgress(null)
      }
    }
  }
  function stop() {
    running.current?.abort()
    running.current = null
    setProgress(null)
  }
  return (
    <>
      <div class="toolbar">
        <Choice label="Events of the last" options={DAYS} value={days} onChange={setDays} />
        {progress === null ? (
          <Button icon="play" kind="primary" onClick={run}>
            Run preview
          </Button>
        ) : (
          <Button icon="close" onClick={stop}>
            Stop
          </Button>
        )}
      </div>
      {progress && (
        <div class="progress">
          <progress value={progress.share} max={1} aria-label="Preview" />
          <span class="quiet" role="status">
            {formatCount(progress.events)} events read
          </span>
        </div>
      )}
      {error !== null && <Failed error={error} onRetry={run} />}
      {result && result.of !== asked && <Note>You have changed the draft since: run the preview again.</Note>}
      {result ? (
        <Shown of={result.value} />
      ) : (
        progress === null &&
        error === null && (
          <Empty icon="play" title="Try the draft on past events">
            <p>
              The preview reads recorded events and writes nothing. It shows what the {kind} would have
              granted.
            </p>
          </Empty>
        )
      )}
    </>
  )
}

function Shown({ of }: { of: Result }) {
  const { points, fans, events, isComplete, top, distribution } = of
  const most = Math.max(1, ...distribution.map(one => one.fans))
  return (
    <>
      {!isComplete && (
        <Note tone="warn">
          There were too many events: only the first {formatCount(events)} were read. Choose fewer days.
        </Note>
      )}
      <p class="headline" role="status">
        Would have granted <strong>{formatCount(points)} points</strong> to{' '}
        <strong>
          {formatCount(fans)} {fans === 1 ? 'fan' : 'fans'}
        </strong>
        .
      </p>
      <p class="quiet">{'granted' in of ? aboutRule(of) : aboutQuest(of)}</p>
      {fans > 0 && (
        <Columns>
          <Section title="Fans who would get the most points" flush>
            <DataTable
              label="Fans who would get the most points"
              columns={TOP}
              rows={top}
              rowKey={({ userId }) => userId}
            />
          </Section>
          <Section title="Points per fan">
            <table class="spread">
              <thead>
                <tr>
                  <th scope="col">Points</th>
                  <th scope="col">Fans</th>
                </tr>
              </thead>
              <tbody>
                {distribution.map(({ from, fans: count }) => (
                  <tr key={from}>
                    <th scope="row">
                      {from === 0 ? 'None' : `${formatCount(from)} – ${formatCount(from * 10 - 1)}`}
                    </th>
                    <td>
                      <meter min={0} max={most} value={count} aria-hidden="true" />
                      {formatCount(count)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Section>
        </Columns>
      )}
    </>
  )
}

const aboutRule = ({ granted, grantedBefore, events, refused }: RuleResult) =>
  [
    `For ${formatCount(granted)} of ${formatCount(events)} events of its type.`,
    // Guarantee of the cast: the keys of the constant.
    ...(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[])
      .filter(reason => refused[reason] > 0)
      .map(reason => `${formatCount(refused[reason])} ${REFUSALS[reason]}.`),
    ...(grantedBefore > 0
      ? [`The saved rule has granted ${formatCount(grantedBefore)} points for them.`]
      : []),
  ].join(' ')

const aboutQuest = ({ completions, started, blocked }: QuestResult) =>
  [
    `${formatCount(started)} fans would have started it, with ${formatCount(completions)} completions.`,
    ...(blocked > 0 ? [`${formatCount(blocked)} would have met the goal without the required quests.`] : []),
  ].join(' ')
